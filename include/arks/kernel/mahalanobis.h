#pragma once
#include <arks/kernel/cost.h>

namespace arks {

/// c = ½(u−x)ᵀM(u−x), M symmetric and positive definite: directions in which the data vary little are dear.
/// "mahalanobis" With M = 1 it is half-sq-l2. Mahalanobis, "On the generalised distance in statistics", 1936.
class Mahalanobis : public Cost {
 public:
  /// M [d,d], d the numbers of a sample. Throws Error when it is not square, not finite, not symmetric or not positive
  /// definite.
  explicit Mahalanobis(const torch::Tensor& matrix);
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override;
  torch::Tensor pairwise(const torch::Tensor& a, const torch::Tensor& b) const override;
  std::string name() const override { return "mahalanobis"; }

  const torch::Tensor& matrix() const { return matrix_; }              ///< M, float64
  double smallest_eigenvalue() const { return smallest_eigenvalue_; }  ///< how strongly convex the cost is

 private:
  torch::Tensor whitened(const torch::Tensor& rows) const;

  torch::Tensor matrix_, factor_;  // M = factor·factorᵀ
  double smallest_eigenvalue_ = 0;
};

/// The inverse of the regularised covariance of samples [n,...]:
///   M = (Σ + ridge·(tr Σ/d)·1)⁻¹,      Σ with denominator n.
/// ridge > 0 makes it positive definite however few the samples are; ridge → ∞ is a multiple of 1.
torch::Tensor estimate_mahalanobis(const torch::Tensor& samples, double ridge);

}  // namespace arks
