#pragma once
#include <arks/kernel/kernel.h>

namespace arks {

/// The kernel interpolant on sites X [n,...] (Wahba 1990; the "ridgeless" kernel regression): for values v [n] or [n,m]
///   f(x) = k(x,X)·K⁻¹·v,      ‖f‖² = vᵀK⁻¹v in the kernel's Hilbert space,      K = k(X,X) + jitter·1.
/// K is factorised once, in float64, as a constant; values may carry a graph. jitter → 0 reproduces v at the sites;
/// a large jitter is a ridge: the values are smoothed.
class KernelInterpolation {
 public:
  /// jitter ≥ 0. Throws RunError when K is not positive definite to rounding: sites that coincide need a jitter.
  KernelInterpolation(const Kernel& kernel, const torch::Tensor& sites, double jitter);

  /// K⁻¹v, float64, of the shape of v.
  torch::Tensor coefficients(const torch::Tensor& values) const;
  /// f at other points [p,...] → [p] or [p,m], float64.
  torch::Tensor operator()(const torch::Tensor& values, const torch::Tensor& points) const;
  /// vᵀK⁻¹v summed over the columns of v: scalar, float64.
  torch::Tensor squared_norm(const torch::Tensor& values) const;

 private:
  Kernel kernel_;
  torch::Tensor sites_, factor_;  // K = factor·factorᵀ
};

}  // namespace arks
