#pragma once
#include <arks/problem/problem.h>

namespace arks {

/// Least squares whose matrix is uncertain:
///   l(θ,ξ) = ‖A(ξ)θ − b‖²,     A(ξ) = A₀ + Σ_k ξ_k A_k,     A_k [m,p], b [m], θ [p].
/// A sample u is the vector ξ [k]; there are no targets, y is ignored and may be undefined. Convex in θ and in ξ.
/// Everything is float64; θ begins at zero, and copies share it as copies of a tensor do.
/// El Ghaoui and Lebret, "Robust Solutions to Least-Squares Problems with Uncertain Data", 1997.
class RobustLeastSquares : public Problem {
 public:
  /// A₀ [m,p], A_1 … A_k [m,p] each, b [m].
  RobustLeastSquares(torch::Tensor nominal, const std::vector<torch::Tensor>& directions, torch::Tensor target);

  /// Boyd and Vandenberghe, Convex Optimization, 2004, figure 6.15: one uncertain direction. Of the book's 20 rows the
  /// first 10, as in the paper's experiment: A_k are 10×10.
  static RobustLeastSquares boyd_vandenberghe_6_15();
  /// Figure 6.16: two uncertain directions, all 50 rows, A_k are 50×20.
  static RobustLeastSquares boyd_vandenberghe_6_16();

  /// u = ξ [n,k] float64 → [n].
  torch::Tensor per_sample_loss(const torch::Tensor& u, const torch::Tensor& y) override;
  std::vector<torch::Tensor> parameters() override { return {theta_}; }
  NamedTensors state() override { return {{"theta", theta_}}; }
  std::string architecture() const override { return "robust-least-squares"; }

  const torch::Tensor& theta() const { return theta_; }
  /// Copies the values; the parameter stays the same tensor.
  void set_theta(const torch::Tensor& theta);

  /// The θ with the smallest mean loss on the samples ξ [n,k]; of several the shortest.
  torch::Tensor erm_solution(const torch::Tensor& xi) const;
  /// The θ with the smallest expected loss under ξ ~ U[−h,h]^k; h ≥ 0.
  torch::Tensor population_solution(double half_width) const;
  /// E l(θ,ξ) under ξ ~ U[−h,h]^k: ‖A₀θ−b‖² + h²/3 Σ_k ‖A_kθ‖².
  double expected_loss(const torch::Tensor& theta, double half_width) const;
  /// max over ‖ξ‖₂ ≤ 1 of l(θ,ξ), exact; with one direction the larger of ξ = ±1.
  double worst_loss(const torch::Tensor& theta) const;

  int64_t num_directions() const { return matrices_.size(0) - 1; }
  int64_t num_rows() const { return matrices_.size(1); }
  int64_t num_columns() const { return matrices_.size(2); }
  /// A₀, A_1, …, A_k as [k+1,m,p].
  const torch::Tensor& matrices() const { return matrices_; }
  const torch::Tensor& target() const { return target_; }

 private:
  torch::Tensor solution_for(const torch::Tensor& moments) const;
  torch::Tensor checked(const torch::Tensor& theta) const;

  torch::Tensor matrices_, target_, theta_;
};

}  // namespace arks
