#pragma once
// Problems on which the objectives can be checked by hand.
#include "support/testing.h"

namespace arks::testing {

/// l(θ,u) = θ·u + 3, u [n,d]: the gradient for u is θ, so every supremum has a closed form.
inline FunctionProblem linear_loss(const torch::Tensor& theta) {
  return FunctionProblem([theta](const torch::Tensor& u, const torch::Tensor&) { return u.matmul(theta) + 3; },
                         {theta});
}

/// A small smooth network with cross entropy in float64, 6 inputs and 3 classes.
inline torch::nn::Sequential small_net(uint64_t seed = 1) {
  torch::nn::Sequential net(torch::nn::Linear(6, 8), torch::nn::Tanh(), torch::nn::Linear(8, 3));
  net->to(torch::kDouble);
  torch::NoGradGuard no_grad;
  for (auto& weight : net->parameters()) weight.copy_(0.7 * normal(weight.sizes().vec(), seed++));
  return net;
}

inline Batch small_batch(int64_t n = 7, uint64_t seed = 9) {
  return {normal({n, 6}, seed), torch::arange(n, torch::kLong).remainder(3)};
}

/// The value of an objective on a batch and its gradient for every parameter.
struct Evaluated {
  double value = 0;
  BatchSums sums;
  std::vector<torch::Tensor> gradients;
};

inline Evaluated evaluated(const Objective& objective, Problem& problem, const Batch& batch, uint64_t seed = 0) {
  auto generator = make_generator(seed, Stream::kObjective);
  const auto found = (*objective.bind(problem))(batch, generator);
  return {found.value.item<double>(), found.sums, torch::autograd::grad({found.value}, problem.parameters())};
}

/// A step as the trainer makes it.
inline Descend descend_with(torch::optim::Optimizer& optimizer) {
  return [&optimizer](const Evaluate& evaluate) {
    auto found = evaluate();
    optimizer.zero_grad();
    found.value.backward();
    optimizer.step();
    found.value = found.value.detach();
    return found;
  };
}

/// u* of ARKS, WRM and PGD training found by a maximizer of the test's own.
inline InnerResult maximized(Problem& problem, const InnerObjectivePtr& objective, const CostPtr& cost,
                             const AscentOptions& ascent, const ConstraintPtr& constraint, const Batch& batch) {
  return make_maximizer(problem, objective, cost, ascent, constraint)->maximize(batch.inputs, batch.targets);
}

}  // namespace arks::testing
