#pragma once
#include "certify/network_bounds.h"

#include <arks/problem/supervised.h>

#include <optional>
#include <string>

namespace arks {

/// What is proved of u ↦ l(θ,u), or of its logarithm, for one sample with any target and all u; the constants of the
/// verified certificates.
struct LossBounds {
  std::optional<double> lipschitz;  // G: ‖∇_u‖₂ ≤ this
  std::optional<double> curvature;  // L: ∇² ≤ this·identity. h − c/τ with c = ½‖·‖² is strictly concave for τ < 1/L
  std::string why_no_lipschitz;  // one line, when there is none
  std::string why_no_curvature;
  NetworkBounds network;
};

/// A criterion h behind a network z = f(u), by the chain rule ∇²(h∘f) = Jᵀ(∇²h)J + Σ_k ∂h/∂z_k·∇²f_k:
///   G = G_h·Lip(f),     L = L_h·Lip(f)² + G_h·L(f).
/// Cross entropy and its logarithm: G = √2·Lip(f), L = ½·Lip(f)² + √2·L(f). L is a one-sided bound, of the largest
/// eigenvalue, and ≥ 0. An affine network needs no G_h for L; behind a kink (ReLU, max pooling) there is no L.
LossBounds bound_loss(const CriterionBounds& criterion, NetworkBounds network);

/// The same for a model and its criterion in evaluation mode, samples of this shape (without the batch). Throws Error
/// where `graph_of` and `bound_network` do.
LossBounds bound_loss(const SupervisedProblem& problem, torch::IntArrayRef input_shape, bool log);

}  // namespace arks
