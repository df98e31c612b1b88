#pragma once
// Problems that attacks are tried on.
#include "support/testing.h"

namespace arks::testing {

/// l(u) = a·u per sample, float64: the same gradient everywhere.
inline FunctionProblem plane(const torch::Tensor& a) {
  return FunctionProblem([a](const torch::Tensor& u, const torch::Tensor&) { return u.matmul(a); });
}

inline torch::Tensor perturbed(const Attack& attack, Problem& problem, const torch::Tensor& x, const torch::Tensor& y,
                               const std::optional<Bounds>& bounds = std::nullopt, uint64_t seed = 0) {
  auto generator = make_generator(seed, Stream::kAttack);
  return attack.perturb(problem, x, y, bounds, generator).inputs;
}

/// A small network on 8 inputs in [0,1], 3 classes, float64.
inline SupervisedProblem small_problem(uint64_t seed = 1) {
  torch::nn::Sequential net(torch::nn::Linear(8, 16), torch::nn::Tanh(), torch::nn::Linear(16, 3));
  net->to(torch::kDouble);
  torch::NoGradGuard no_grad;
  for (auto& weight : net->parameters()) weight.copy_(normal(weight.sizes().vec(), seed++));
  return {net, CrossEntropy()};
}

inline torch::Tensor unit_inputs(int64_t n, int64_t d, uint64_t seed = 1) {
  return (0.5 + 0.25 * normal({n, d}, seed)).clamp(0, 1);
}

inline torch::Tensor classes(int64_t n, int64_t count = 3) {
  return torch::arange(n, torch::kLong).remainder(count);
}

}  // namespace arks::testing
