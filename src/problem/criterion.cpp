#include "problem/log_of_losses.h"

#include <arks/problem/criterion.h>

namespace arks {

torch::Tensor Criterion::log(const torch::Tensor& prediction, const torch::Tensor& y) const {
  return log_of_losses((*this)(prediction, y));
}

torch::Tensor Criterion::wrong(const torch::Tensor& /*prediction*/, const torch::Tensor& /*y*/) const {
  return {};
}

CriterionBounds Criterion::bounds(bool /*log*/) const {
  const std::string why = "no bounds are known for this criterion";
  return {std::nullopt, std::nullopt, why, why};
}

}  // namespace arks
