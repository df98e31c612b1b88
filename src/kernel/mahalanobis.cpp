#include <arks/kernel/mahalanobis.h>

#include "kernel/differences.h"
#include "support/samples.h"

#include <arks/support/error.h>

#include <cmath>

namespace arks {

Mahalanobis::Mahalanobis(const torch::Tensor& matrix) {
  ARKS_CHECK(matrix.dim() == 2 && matrix.size(0) == matrix.size(1) && matrix.size(0) > 0,
             "mahalanobis: the matrix must be square, got ", matrix.sizes());
  matrix_ = matrix.detach().to(torch::kDouble).clone();
  ARKS_CHECK(matrix_.isfinite().all().item<bool>(), "mahalanobis: the matrix has entries that are not finite");
  const double largest = matrix_.abs().max().item<double>();
  const double skew = (matrix_ - matrix_.t()).abs().max().item<double>();
  ARKS_CHECK(skew <= 1e-9 * largest, "mahalanobis: the matrix is not symmetric; entries differ from their mirror by ",
             skew);
  matrix_ = (matrix_ + matrix_.t()) / 2;
  smallest_eigenvalue_ = std::get<0>(torch::linalg_eigh(matrix_))[0].item<double>();
  const auto [factor, failure] = torch::linalg_cholesky_ex(matrix_);
  ARKS_CHECK(failure.item<int64_t>() == 0 && smallest_eigenvalue_ > 0,
             "mahalanobis: the matrix is not positive definite; its smallest eigenvalue is ", smallest_eigenvalue_);
  factor_ = factor;
}

torch::Tensor Mahalanobis::whitened(const torch::Tensor& samples) const {
  ARKS_CHECK(samples.size(1) == matrix_.size(0), "mahalanobis: the matrix is for ", matrix_.size(0),
             " numbers per sample, got ", samples.size(1));
  return samples.matmul(factor_.to(samples.options()));
}

torch::Tensor Mahalanobis::operator()(const torch::Tensor& u, const torch::Tensor& x) const {
  const auto d = whitened(difference(u, x));
  return (d * d).sum(1) / 2;
}

torch::Tensor Mahalanobis::pairwise(const torch::Tensor& a, const torch::Tensor& b) const {
  return all_distances(whitened(rows(a.detach())), whitened(rows(b.detach())), 2).square_().div_(2);
}

torch::Tensor estimate_mahalanobis(const torch::Tensor& samples, double ridge) {
  ARKS_CHECK(std::isfinite(ridge) && ridge > 0, "mahalanobis: the ridge must be positive and finite, got ", ridge);
  ARKS_CHECK(samples.dim() >= 1 && samples.size(0) >= 2, "mahalanobis: at least two samples are needed, got ",
             samples.dim() == 0 ? 0 : samples.size(0));
  const auto centred = rows(samples.detach().to(torch::kDouble));
  const auto deviation = centred - centred.mean(0, /*keepdim=*/true);
  const auto covariance = deviation.t().matmul(deviation) / static_cast<double>(samples.size(0));
  const auto mean_variance = covariance.diagonal().mean();
  ARKS_CHECK(mean_variance.item<double>() > 0, "mahalanobis: all samples are the same, so there is no variance");
  const auto regularised = covariance + torch::diag(torch::full_like(covariance.diagonal(), ridge) * mean_variance);
  return torch::cholesky_inverse(torch::linalg_cholesky(regularised));
}

}  // namespace arks
