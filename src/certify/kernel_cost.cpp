#include "certify/kernel_cost.h"

#include "support/text.h"

#include <arks/support/error.h>

#include <cmath>

namespace arks {

KernelCost::KernelCost(Kernel kernel) : kernel_(std::move(kernel)) {
  ARKS_CHECK(std::isfinite(kernel_.temperature()),
             "kernel cost: with an infinite bandwidth every move is free; the bandwidth must be finite");
}

torch::Tensor KernelCost::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  // expm1, so that a small move has its small cost and not the rounding of 1 − (1 − small)
  return -((*kernel_.cost())(u, x) / -kernel_.temperature()).expm1();
}

torch::Tensor KernelCost::pairwise(const torch::Tensor& a, const torch::Tensor& b) const {
  return -(kernel_.cost()->pairwise(a, b) / -kernel_.temperature()).expm1();
}

std::string KernelCost::name() const {
  return "1-exp(-" + kernel_.cost()->name() + "/" + shortest(kernel_.temperature()) + ")";
}

}  // namespace arks
