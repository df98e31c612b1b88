#pragma once
#include "certify/cost_geometry.h"

#include <arks/certify/c_transform_options.h>
#include <arks/data/dataset.h>
#include <arks/problem/problem.h>

#include <memory>
#include <vector>

namespace arks {

/// Λ(x) = sup_u { q(u) − strength·c(u,x) } of n samples at one strength (1/τ, or γ), from below and from above.
struct CTransformValues {
  double strength = 0;
  torch::Tensor estimated;  ///< [n] the largest value that ascent found: a lower bound of Λ
  torch::Tensor verified;   ///< [n] a proved upper bound of Λ; infinite where nothing can be proved
  torch::Tensor quantity;   ///< [n] q(u) at the maximiser found
  torch::Tensor costs;      ///< [n] c(u,x)
  torch::Tensor u;          ///< [n,...] the maximiser found, float64
};

/// The c-transform of a loss (or of its logarithm) on the samples of a data set, the ground on which certificates
/// stand. The upper bound of a sample is the smallest of those that apply:
///   Lipschitz   q(x) + sup_d { G·d − strength·c(d) }                                 (lipschitz_gain)
///   curvature   h(u) + sup_t { ∇h(u)·t − m/2·‖t‖² },   h = q − strength·c,  m = strength·s − L,
/// the second for a cost of convexity s and at the u that ascent has found: ‖∇h‖²/(2m) over all of space when m > 0; on
/// a box coordinate by coordinate, whatever the sign of m. With L overestimated both stay true. All of it is computed
/// in float64: the weights of the problem are float64 while this object lives and are then given back as they were. The
/// rounding of float64 itself is covered by a margin of 1e-10 (relative), not by a proof.
class CTransform {
 public:
  /// The problem must outlive this. Throws Error for options that cannot be used, for samples outside the domain, and
  /// for a problem that cannot compute in float64.
  CTransform(Problem& problem, const Dataset& dataset, CTransformOptions options);
  ~CTransform();

  /// strength ≥ 0; 0, the worst case, only with a domain. `warm` [n,...] is one more start, where it is defined. Throws
  /// Error when ascent finds a value above the proved bound: the constants given are then wrong.
  CTransformValues at(double strength, const torch::Tensor& warm = {});

  /// The ascent of every start by itself, the first at x: one result per start, over all samples.
  std::vector<CTransformValues> from_each_start(double strength);

  int64_t samples() const;
  const torch::Tensor& inputs() const;      ///< [n,...] x, float64
  const torch::Tensor& at_samples() const;  ///< [n] q(x)
  double slope_at_samples() const;          ///< √(mean ‖∇q(x)‖²), the scale of what moving gains
  const CostGeometry& geometry() const;
  const CTransformOptions& options() const;

  /// The Lipschitz bound alone, [n]; it needs no ascent. Infinite without a Lipschitz constant.
  torch::Tensor lipschitz_bound(double strength) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arks
