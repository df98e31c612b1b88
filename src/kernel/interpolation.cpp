#include "kernel/interpolation.h"

#include <arks/support/error.h>

#include <cmath>

namespace arks {

KernelInterpolation::KernelInterpolation(const Kernel& kernel, const torch::Tensor& sites, double jitter)
    : kernel_(kernel), sites_(sites.detach().to(torch::kDouble)) {
  ARKS_CHECK(std::isfinite(jitter) && jitter >= 0, "kernel interpolation: jitter must be finite and not negative, got ",
             jitter);
  ARKS_CHECK(sites_.dim() >= 1 && sites_.size(0) > 0, "kernel interpolation: there are no sites");
  auto matrix = kernel_.matrix(sites_, sites_);
  matrix.diagonal().add_(jitter);
  const auto [factor, failure] = torch::linalg_cholesky_ex(matrix);
  if (failure.item<int64_t>() != 0) {
    throw RunError(c10::str("kernel interpolation: the matrix of ", sites_.size(0), " sites with jitter ", jitter,
                            " is not positive definite: sites nearly coincide; a larger jitter or a smaller bandwidth"
                            " helps"));
  }
  factor_ = factor;
}

torch::Tensor KernelInterpolation::coefficients(const torch::Tensor& values) const {
  ARKS_CHECK((values.dim() == 1 || values.dim() == 2) && values.size(0) == sites_.size(0),
             "kernel interpolation: expected values of shape [", sites_.size(0), "] or [", sites_.size(0), ", m], got ",
             values.sizes());
  const auto columns = values.to(torch::kDouble).reshape({sites_.size(0), -1});
  return torch::cholesky_solve(columns, factor_).reshape(values.sizes());
}

torch::Tensor KernelInterpolation::operator()(const torch::Tensor& values, const torch::Tensor& points) const {
  return kernel_.matrix(points.detach().to(torch::kDouble), sites_).matmul(coefficients(values));
}

torch::Tensor KernelInterpolation::squared_norm(const torch::Tensor& values) const {
  return (values.to(torch::kDouble) * coefficients(values)).sum();
}

}  // namespace arks
