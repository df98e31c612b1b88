#pragma once
#include <arks/inner/inner_objective.h>
#include <arks/inner/maximizer.h>
#include <arks/kernel/kernel.h>
#include <arks/problem/robust_least_squares.h>

#include <memory>

namespace arks::study {

/// ARKS on robust least squares with one uncertain direction as gradient descent-ascent, with the Gaussian kernel:
///   min_θ mean_i max_{u∈[−1,1]} l(θ,u) k_σ(u,ξ_i).
/// Ascent: 10 steps of L-BFGS, learning rate 1, held in [−1,1] (without it a large σ would pass RO). Descent: L-BFGS
/// with learning rate 1, as in appendix C.3 of the paper. The problem must outlive it; train() changes its θ.
class DescentAscent {
 public:
  /// The loss is convex in u, so the inner objective has a maximum on either side of a sample, and an ascent from the
  /// sample finds the nearer one. So −1 and 1 are starts too, unless `one_start` asks for the sample alone, which is
  /// how we read the paper.
  DescentAscent(RobustLeastSquares& problem, double sigma, bool one_start = false);

  /// u* for every sample ξ [n,1].
  InnerResult maximize(const torch::Tensor& xi);

  /// Minimises the surrogate, which is convex in θ, from the ERM solution on the same samples.
  void train(const torch::Tensor& xi);

  const Kernel& kernel() const { return kernel_; }

 private:
  RobustLeastSquares& problem_;
  Kernel kernel_;
  bool one_start_;
  std::shared_ptr<const KernelProduct> product_;
  std::unique_ptr<Maximizer> maximizer_;
};

}  // namespace arks::study
