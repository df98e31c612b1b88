#include "certify/cost_geometry.h"

#include "certify/kernel_cost.h"

#include <arks/kernel/mahalanobis.h>
#include <arks/support/error.h>

#include <cmath>
#include <typeinfo>

namespace arks {

namespace {

/// Exactly of this class: one derived from it may compute something else.
template <typename Kind>
bool is(const Cost& cost) {
  return typeid(cost) == typeid(Kind);
}

CostGeometry quadratic(double factor) {
  CostGeometry geometry;
  geometry.quadratic = factor;
  geometry.convexity = factor;
  return geometry;
}

CostGeometry norm(double factor) {
  CostGeometry geometry;
  geometry.linear = factor;
  geometry.convexity = 0;
  return geometry;
}

/// ½ ln(1 + d²/C²): its curvature along d, (C² − d²)/(C² + d²)², lies within [−1/8, 1]/C², across it is positive.
CostGeometry log_quadratic(double scale) {
  CostGeometry geometry;
  geometry.profile = [scale](const torch::Tensor& distance) { return (distance / scale).pow(2).log1p() / 2; };
  geometry.bend = 1 / (scale * scale);
  geometry.convexity = -1 / (8 * scale * scale);
  return geometry;
}

/// 1 − exp(−c₀/τ): with c₀ = a·d²/2 the curvature along d is e^{−s/2}(1−s)·a/τ, s = a·d²/τ, within [−2e^{−3/2}, 1]·a/τ;
/// with c₀ = b·d it is −e^{−b·d/τ}·b²/τ².
CostGeometry one_minus_kernel(const Kernel& kernel, int64_t dimension) {
  const auto base = geometry_of(*kernel.cost(), dimension);
  const double temperature = kernel.temperature();
  CostGeometry geometry;
  if (base.quadratic) {
    geometry.bend = *base.quadratic / temperature;
    const bool isotropic = is<HalfSquaredL2>(*kernel.cost()) || is<SquaredL2>(*kernel.cost());
    if (isotropic) geometry.convexity = -2 * std::exp(-1.5) * *geometry.bend;
  } else if (base.linear) {
    geometry.bend = *base.linear * *base.linear / (temperature * temperature);
    if (is<L2>(*kernel.cost())) geometry.convexity = -*geometry.bend;
  } else if (!base.profile) {
    return {};
  }
  geometry.profile = [base, temperature](const torch::Tensor& distance) {
    return -(base.at_least(distance) / -temperature).expm1();
  };
  return geometry;
}

/// ½λ‖u−x‖² from below, λ the smallest eigenvalue less what its computation may have rounded: n·eps·‖M‖.
CostGeometry mahalanobis(const Mahalanobis& cost) {
  const auto& matrix = cost.matrix();
  const double size = matrix.abs().sum(1).max().item<double>() * static_cast<double>(matrix.size(0));
  const double smallest = cost.smallest_eigenvalue() - size * std::numeric_limits<double>::epsilon();
  return smallest > 0 ? quadratic(smallest) : CostGeometry();
}

torch::Tensor quadratic_gain(double slope, double curvature, const torch::Tensor& reach) {
  if (slope == 0) return torch::zeros_like(reach);
  const auto distance = curvature > 0 ? reach.clamp_max(slope / curvature) : reach;
  const auto gain = slope * distance - curvature / 2 * distance * distance;
  return gain.masked_fill(distance.isinf(), std::numeric_limits<double>::infinity());
}

torch::Tensor linear_gain(double slope, const torch::Tensor& reach) {
  return slope <= 0 ? torch::zeros_like(reach) : slope * reach;
}

torch::Tensor profile_gain(const CostGeometry& cost, double slope, double strength, const torch::Tensor& reach) {
  constexpr int64_t kCells = 16384;
  const auto finite = reach.isfinite();
  const auto unbounded = torch::full_like(reach, std::numeric_limits<double>::infinity());
  if (!finite.any().item<bool>()) return unbounded;
  const double farthest = reach.masked_select(finite).max().item<double>();
  const double cell = farthest / kCells;
  if (cell == 0) return torch::zeros_like(reach);
  const auto distance = torch::arange(kCells + 1, reach.options()) * cell;
  const auto price = strength * cost.profile(distance);
  const auto value = slope * distance - price;
  const auto left = value.slice(0, 0, kCells), right = value.slice(0, 1);
  // the profile does not fall within a cell, and a bounded second derivative bounds what lies above the chord
  auto most = slope * distance.slice(0, 1) - price.slice(0, 0, kCells);
  if (cost.bend) most = torch::minimum(most, torch::maximum(left, right) + strength * *cost.bend * cell * cell / 8);
  const auto so_far = std::get<0>(most.cummax(0));
  const auto last_cell = (reach.masked_fill(finite.logical_not(), 0) / cell).to(torch::kLong).clamp_max(kCells - 1);
  return torch::where(finite, so_far.index_select(0, last_cell).clamp_min(0), unbounded);
}

}  // namespace

torch::Tensor CostGeometry::at_least(const torch::Tensor& distance) const {
  if (quadratic) return *quadratic / 2 * distance * distance;
  if (linear) return *linear * distance;
  return profile ? profile(distance) : torch::zeros_like(distance);
}

CostGeometry geometry_of(const Cost& cost, int64_t dimension) {
  if (is<HalfSquaredL2>(cost)) return quadratic(1);
  if (is<SquaredL2>(cost)) return quadratic(2);
  // the sum of absolute values is at least the Euclidean norm
  if (is<L2>(cost) || is<L1>(cost)) return norm(1);
  if (is<Linf>(cost)) return norm(1 / std::sqrt(static_cast<double>(dimension)));
  if (is<Mahalanobis>(cost)) return mahalanobis(static_cast<const Mahalanobis&>(cost));
  if (is<LogQuadratic>(cost)) return log_quadratic(static_cast<const LogQuadratic&>(cost).scale());
  if (is<KernelCost>(cost)) return one_minus_kernel(static_cast<const KernelCost&>(cost).kernel(), dimension);
  return {};
}

torch::Tensor lipschitz_gain(const CostGeometry& cost, double slope, double strength, const torch::Tensor& reach) {
  ARKS_CHECK(slope >= 0 && strength >= 0, "lipschitz gain: slope and strength must not be negative, got ", slope,
             " and ", strength);
  if (cost.quadratic) return quadratic_gain(slope, strength * *cost.quadratic, reach);
  if (cost.linear) return linear_gain(slope - strength * *cost.linear, reach);
  if (cost.profile) return profile_gain(cost, slope, strength, reach);
  return linear_gain(slope, reach);  // any cost is at least 0
}

}  // namespace arks
