#pragma once
// The same inner maximisation on the plan and on libtorch.
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/pooling.h>

#include "engine/networks.h"

namespace arks {

/// What is climbed and how; an ascent that moves far enough to tell rules apart.
struct Climb {
  InnerObjectivePtr objective = std::make_shared<KernelProduct>(2.0);
  CostPtr cost = make_cost("half-sq-l2");
  AscentOptions ascent = AscentOptions().steps(15).learning_rate(0.05);
  ConstraintPtr constraint = std::make_shared<Unconstrained>();

  std::unique_ptr<Maximizer> on(Problem& problem) const {
    return make_maximizer(problem, objective, cost, ascent, constraint);
  }
};

struct Samples {
  torch::Tensor x, y;
};

/// Labels in turn, inputs around zero.
inline Samples labelled(std::vector<int64_t> shape, int64_t classes, uint64_t seed = 1) {
  return {testing::normal(shape, seed).to(torch::kFloat), torch::arange(shape[0]).remainder(classes)};
}

/// A small smooth network on images whose numbers (105) are no multiple of a vector's.
inline torch::nn::Sequential small_conv_net(uint64_t seed = 1) {
  namespace nn = torch::nn;
  torch::manual_seed(seed);
  return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(3, 10, 3).padding(1)), nn::ELU(), nn::AvgPool2d(2),
                        nn::Conv2d(nn::Conv2dOptions(10, 6, 1)), nn::Tanh(), nn::Flatten(), nn::Linear(36, 4));
}
inline std::vector<int64_t> small_images(int64_t n) {
  return {n, 3, 7, 5};
}

/// The climbs agree: u within `tolerance`, values, losses and costs within as much of the largest (or of one), and what
/// can be the same is the same.
inline void expect_same(const InnerResult& found, const InnerResult& expected, double tolerance) {
  const auto near = [&](const torch::Tensor& a, const torch::Tensor& b, const char* what) {
    ASSERT_EQ(a.sizes(), b.sizes()) << what;
    ASSERT_EQ(a.scalar_type(), b.scalar_type()) << what;
    EXPECT_LE(testing::max_difference(a, b), tolerance * std::max(1.0, b.abs().max().item<double>())) << what;
  };
  near(found.u, expected.u, "u");
  near(found.values, expected.values, "values");
  near(found.losses, expected.losses, "losses");
  near(found.costs, expected.costs, "costs");
  near(found.start_losses, expected.start_losses, "start losses");
  ASSERT_EQ(found.start_wrong.defined(), expected.start_wrong.defined());
  if (found.start_wrong.defined()) EXPECT_TRUE(testing::identical(found.start_wrong, expected.start_wrong));
  EXPECT_EQ(found.terminations, expected.terminations);
}

/// Climbs on both and compares; returns what the plan found.
inline InnerResult expect_same_climb(const Climb& climb, const Model& model, const Criterion& criterion,
                                     const Samples& samples, const torch::Tensor& start = {}, double tolerance = 1e-5) {
  SupervisedProblem on_plan(model, criterion), on_libtorch(model, criterion, Engine::kLibtorch);
  const auto compiled = climb.on(on_plan), eager = climb.on(on_libtorch);
  auto found = compiled->maximize(samples.x, samples.y, start);
  EXPECT_TRUE(compiled->info().compiled) << compiled->info().why_not;
  const auto expected = eager->maximize(samples.x, samples.y, start);
  EXPECT_FALSE(eager->info().compiled);
  expect_same(found, expected, tolerance);
  // a climb that goes nowhere would agree with anything
  if (climb.ascent.steps() > 0) EXPECT_GT(testing::max_difference(found.u, samples.x), 1e-3);
  return found;
}

}  // namespace arks
