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

inline AscentOptions steps(int64_t count = 5, double rate = 0.05) {
  return AscentOptions().steps(count).learning_rate(rate);
}

/// u* that the majorant finds from this seed.
inline torch::Tensor found_points(const Objective& objective, Problem& problem, const Batch& batch, uint64_t seed = 0) {
  auto generator = make_generator(seed, Stream::kObjective);
  return objective.bind(problem)->find(batch, generator).u;
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

/// With its points held still, the gradient of an objective for the weights equals central differences.
inline void expect_weight_gradient_matches(const Objective& objective) {
  const auto batch = small_batch(4);
  auto net = small_net();
  SupervisedProblem problem(net, CrossEntropy());
  const auto majorant = objective.bind(problem);
  auto generator = make_generator(0, Stream::kObjective);
  const auto points = majorant->find(batch, generator);
  for (auto& weight : net->parameters()) {
    const auto before = weight.detach().clone();
    const auto gradient = torch::autograd::grad({majorant->value(batch, points).value}, {weight})[0];
    for (const int64_t i : {int64_t{0}, weight.numel() - 1}) {
      const auto at = [&](double step) {
        torch::NoGradGuard no_grad;
        weight.copy_(before);
        weight.view(-1)[i] += step;
        return majorant->value(batch, points).value.item<double>();
      };
      const double difference = (at(1e-5) - at(-1e-5)) / 2e-5;
      torch::NoGradGuard no_grad;
      weight.copy_(before);
      EXPECT_NEAR(gradient.view(-1)[i].item<double>(), difference, 1e-8);
    }
  }
}

/// On a convolutional network the inner maximisation is compiled, and value and gradients are those of libtorch.
inline void expect_engine_as_libtorch(const Objective& objective) {
  const auto data = toy_dataset(24);
  const auto batch = data->get(torch::arange(24, torch::kLong));
  const auto model = make_model("fashion-cnn", data->info(), 1);
  SupervisedProblem plan(model, CrossEntropy()), libtorch(model, CrossEntropy(), Engine::kLibtorch);
  auto generator = make_generator(0, Stream::kObjective);
  const auto majorant = objective.bind(plan);
  (*majorant)(batch, generator);
  ASSERT_TRUE(majorant->maximizer_info().has_value());
  EXPECT_TRUE(majorant->maximizer_info()->compiled) << majorant->maximizer_info()->why_not;
  const auto found = evaluated(objective, plan, batch), expected = evaluated(objective, libtorch, batch);
  EXPECT_NEAR(found.value, expected.value, 1e-3 * expected.value);
  for (size_t i = 0; i < found.gradients.size(); ++i) {
    const double size = expected.gradients[i].abs().max().item<double>();
    EXPECT_LT(max_difference(found.gradients[i], expected.gradients[i]), 0.02 * size) << i;
  }
}

/// The points that an objective finds lie in [0,1] and within a radius of 0.2 times `scale` in each of six features; in
/// the third, whose scale is above 1, some lie further off than 0.2.
inline void expect_points_within(const Objective& objective, const torch::Tensor& scale) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const Batch batch{normal({7, 6}).mul(0.5).add(0.5).clamp(0, 1), small_batch().targets};
  auto generator = make_generator(0, Stream::kObjective);
  const auto u = objective.bind(problem)->find(batch, generator).u;
  EXPECT_GE(u.min().item<double>(), 0);
  EXPECT_LE(u.max().item<double>(), 1);
  const auto most = (u - batch.inputs).abs().amax(0);
  EXPECT_TRUE((most <= 0.2 * scale + 1e-12).all().item<bool>()) << most;
  EXPECT_GT(most[2].item<double>(), 0.2);
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
