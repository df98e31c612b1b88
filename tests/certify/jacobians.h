#pragma once
// Norms of Jacobians the other way round, from below: power iteration and whole Jacobians by autograd.
#include "support/testing.h"

#include <algorithm>

namespace arks::testing {

/// ∇_x ⟨v, f(x)⟩, [1,...] for x [1,...]
inline torch::Tensor pulled_back(const TensorFunction& f, const torch::Tensor& at, const torch::Tensor& v) {
  const auto x = at.detach().clone().set_requires_grad(true);
  return torch::autograd::grad({f(x)}, {x}, {v})[0].detach();
}

/// ‖J(x)‖₂ by power iteration on JᵀJ; J·u by differentiating v ↦ ⟨u, Jᵀv⟩, which is linear in v. It approaches the norm
/// from below.
inline double power_iteration(const TensorFunction& f, const torch::Tensor& at, int steps = 100, uint64_t seed = 99) {
  const auto x = at.detach().clone().set_requires_grad(true);
  const auto y = f(x);
  const auto dual = torch::zeros_like(y).set_requires_grad(true);
  const auto pulled = torch::autograd::grad({y}, {x}, {dual}, /*retain_graph=*/true, /*create_graph=*/true)[0];
  auto direction = normal(at.sizes().vec(), seed);
  double norm = 0;
  for (int step = 0; step < steps; ++step) {
    direction = direction / direction.norm();
    const auto image = torch::autograd::grad({pulled}, {dual}, {direction}, /*retain_graph=*/true)[0];
    norm = image.norm().item<double>();
    direction = torch::autograd::grad({y}, {x}, {image}, /*retain_graph=*/true)[0];
    if (norm == 0) break;
  }
  return norm;
}

inline double power_iteration(const Graph& graph, const torch::Tensor& at, int steps = 100) {
  return power_iteration([&](const torch::Tensor& x) { return forward(graph, x); }, at, steps);
}

/// J(x) [outputs,inputs] of one sample x [1,...]: the batch holds the same sample once for each output.
inline torch::Tensor jacobian(const Graph& graph, const torch::Tensor& at) {
  const int64_t outputs = forward(graph, at).numel();
  auto sizes = at.sizes().vec();
  sizes[0] = outputs;
  const auto x = at.detach().expand(sizes).clone().set_requires_grad(true);
  const auto y = forward(graph, x).flatten(1);
  return torch::autograd::grad({y}, {x}, {torch::eye(outputs, torch::kDouble)})[0].flatten(1);
}

inline double spectral_norm(const torch::Tensor& matrix) {
  return torch::linalg_svdvals(matrix).max().item<double>();
}

}  // namespace arks::testing
