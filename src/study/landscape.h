#pragma once
// The paper's figure "sgdstep_landscape" on robust least squares, where u is one number: what the k-transform makes of
// a loss (left), and what the inner maximisation does for one sample (right).
#include <cstdint>
#include <vector>

namespace arks::study {

struct LandscapeSettings {
  /// Bandwidths of the left panel, > 0: from one whose k-transform hugs the loss to one that is near to its maximum.
  std::vector<double> sigmas = {0.2, 0.5, 1, 3};
  int64_t points = 401;  ///< of the grid over [−1,1], its ends included; ≥ 2
  /// The sample ξ of the right panel, in [−1,1], and the bandwidth there. At these u* is in the inside of the domain,
  /// well away from ξ, and the inner objective shows its second, lower maximum on the other side.
  double sample = -0.05, inner_sigma = 0.6;
};

/// Curves over the grid u, and the points of the right panel.
///
/// The loss is l(u) = ‖(A₀+uA₁)θ − b‖² (Boyd and Vandenberghe, figure 6.15) at the θ with the smallest expected loss
/// under u ~ U[−½,½]: what ERM tends to with many samples. So the figure depends on no draw, and shows the loss before
/// anything was done for robustness: a parabola with its minimum at −0.15 and its maximum over the domain, 4.72, at 1.
struct Landscape {
  std::vector<double> u;                        ///< the grid
  std::vector<double> loss;                     ///< l(u)
  std::vector<double> sigmas;                   ///< as in the settings
  std::vector<std::vector<double>> transforms;  ///< [sigma][x] l_σ(x) = max_{u∈[−1,1]} l(u) k_σ(u,x), see k_transform

  double inner_sigma = 0;
  std::vector<double> inner;           ///< l(u) k_σ(u,ξ), the inner objective
  double sample = 0, sample_loss = 0;  ///< ξ (black cross), l(ξ), which is also the inner objective there
  double worst = 0, worst_loss = 0, worst_inner = 0;  ///< u* of DescentAscent (red cross), l(u*), l(u*) k_σ(u*,ξ)
};

/// Throws Error for settings out of range.
Landscape compute_landscape(const LandscapeSettings& settings = LandscapeSettings());

/// l(u) = constant + slope·u + curvature·u², positive on [−1,1].
struct Parabola {
  double constant = 0, slope = 0, curvature = 0;
  double operator()(double u) const { return constant + u * (slope + u * curvature); }
};

/// max_{u∈[−1,1]} l(u) exp(−(u−x)²/(2σ²)), x ∈ [−1,1], σ > 0, without an ascent: the best of a fine grid that holds x,
/// then golden sections between its neighbours, to rounding. Never below l(x); σ → 0 gives l(x), σ → ∞ the maximum of
/// l.
double k_transform(const Parabola& loss, double x, double sigma);

}  // namespace arks::study
