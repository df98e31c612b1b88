#pragma once
#include <arks/kernel/cost.h>

#include <functional>
#include <optional>

namespace arks {

/// What a proof may use of a cost besides its values, in terms of the Euclidean distance d = ‖u−x‖₂.
struct CostGeometry {
  /// c ≥ quadratic·d²/2: half-sq-l2 1, sq-l2 2, Mahalanobis the smallest eigenvalue.
  std::optional<double> quadratic;
  /// c ≥ linear·d: l2 and l1 1, linf 1/√dimension.
  std::optional<double> linear;
  /// c ≥ profile(d), not decreasing, for costs that are neither: 1 − k, inverse multiquadric. Empty otherwise.
  std::function<torch::Tensor(const torch::Tensor& distance)> profile;
  /// |profile″| ≤ bend, where it is known.
  std::optional<double> bend;
  /// c(v) ≥ c(u) + ∇c(u)·(v−u) + convexity/2·‖v−u‖² for all u, v; negative for a cost that is not convex; unset where
  /// it is not known. Where c has a kink, ∇c is the subgradient that the cost returns.
  std::optional<double> convexity;

  /// A lower bound of the cost at these distances.
  torch::Tensor at_least(const torch::Tensor& distance) const;
};

/// Of a built-in cost on samples of `dimension` numbers; for any other cost nothing is known, which is no error.
CostGeometry geometry_of(const Cost& cost, int64_t dimension);

/// An upper bound of sup { slope·d − strength·c : 0 ≤ d ≤ reach }, the most that a function with Lipschitz constant
/// `slope` gains over its value at x when moving costs strength·c. reach [n] → [n], infinite without a domain; the
/// bound is infinite where there is none. In closed form for quadratic and linear costs (over all of space
/// slope²/(2·strength· quadratic), and 0 as long as slope ≤ strength·linear); for a profile the maximum over a fine
/// grid plus the most that the function can rise between two of its points.
torch::Tensor lipschitz_gain(const CostGeometry& cost, double slope, double strength, const torch::Tensor& reach);

}  // namespace arks
