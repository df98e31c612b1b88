#include <arks/kernel/kernel.h>
#include <arks/support/error.h>

#include <cmath>
#include <limits>

namespace arks {

namespace {

double checked_sigma(double sigma) {
  ARKS_CHECK(sigma > 0, "kernel: sigma must be positive, got ", sigma);
  return sigma;
}

double squared_sigma(double sigma) {
  const double squared = checked_sigma(sigma) * sigma;
  ARKS_CHECK(std::isfinite(squared) == std::isfinite(sigma) && squared >= std::numeric_limits<float>::min(),
             "kernel: sigma of a Gaussian must be between 1.1e-19 and 1.3e154, since it is squared; got ", sigma);
  return squared;
}

CostPtr laplacian_cost(LaplacianNorm norm) {
  if (norm == LaplacianNorm::kL1) return std::make_shared<L1>();
  return std::make_shared<L2>();
}

}  // namespace

Kernel::Kernel(CostPtr cost, double temperature) : cost_(std::move(cost)), temperature_(temperature) {
  ARKS_CHECK(cost_ != nullptr, "kernel: no cost given");
  ARKS_CHECK(temperature_ > 0, "kernel: temperature must be positive, got ", temperature_);
  // in float32, in which most models compute, a smaller one is zero and 0/0 at u = x
  ARKS_CHECK(temperature_ >= std::numeric_limits<float>::min(), "kernel: temperature must be at least 1.2e-38, got ",
             temperature_);
}

torch::Tensor Kernel::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  return ((*cost_)(u, x) / -temperature_).exp();
}

torch::Tensor Kernel::matrix(const torch::Tensor& a, const torch::Tensor& b) const {
  return cost_->pairwise(a, b).div_(-temperature_).exp_();
}

bool Kernel::needs_domain() const {
  return std::isinf(temperature_) || cost_->needs_domain();
}

GaussianKernel::GaussianKernel(double sigma) : Kernel(std::make_shared<HalfSquaredL2>(), squared_sigma(sigma)) {}

LaplacianKernel::LaplacianKernel(double sigma, LaplacianNorm norm)
    : Kernel(laplacian_cost(norm), checked_sigma(sigma)) {}

InverseMultiquadricKernel::InverseMultiquadricKernel(double scale)
    : Kernel(std::make_shared<LogQuadratic>(scale), /*temperature=*/1) {}

}  // namespace arks
