#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

torch::Tensor half_square(const torch::Tensor& u, const torch::Tensor& /*y*/) {
  return u.pow(2).sum(1) / 2;
}

}  // namespace

TEST(FunctionProblem, IsWhatItsFunctionSays) {
  FunctionProblem problem(half_square);
  const auto u = normal({4, 3});
  const auto y = torch::zeros({4}, torch::kLong);
  const auto loss = problem.per_sample_loss(u, y);
  EXPECT_EQ(loss.sizes(), torch::IntArrayRef({4}));
  EXPECT_TRUE(identical(loss, half_square(u, y)));
}

TEST(FunctionProblem, HandsTheTargetsOver) {
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor& y) { return (u - y).abs(); });
  const auto u = normal({4}), y = normal({4}, 2);
  EXPECT_TRUE(identical(problem.per_sample_loss(u, y), (u - y).abs()));
}

TEST(FunctionProblem, TakesTheLogarithmOnlyWhenAsked) {
  FunctionProblem problem(half_square);
  const auto u = normal({4, 3});
  EXPECT_FALSE(problem.evaluate(u, {}).log_loss.defined());
  const auto evaluation = problem.evaluate(u, {}, /*with_log_loss=*/true);
  EXPECT_TRUE(identical(evaluation.loss, half_square(u, {})));
  EXPECT_LT(max_difference(evaluation.log_loss, half_square(u, {}).log()), 1e-14);
  EXPECT_FALSE(evaluation.wrong.defined());
}

TEST(FunctionProblem, HasAFloorUnderTheLogarithm) {
  FunctionProblem problem(half_square);
  auto u = torch::zeros({2, 3}, torch::kDouble).set_requires_grad(true);
  const auto log = problem.evaluate(u, {}, /*with_log_loss=*/true).log_loss;
  EXPECT_NEAR(log[0].item<double>(), std::log(1e-30), 1e-12);
  EXPECT_TRUE(identical(torch::autograd::grad({log.sum()}, {u})[0], torch::zeros_like(u)));
}

TEST(FunctionProblem, ANegativeLossHasNoLogarithm) {
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return u.sum(1) - 1; });
  EXPECT_NO_THROW(problem.evaluate(torch::zeros({2, 3}), {}));
  expect_error(
      [&] {
        problem.evaluate(torch::zeros({2, 3}), {}, /*with_log_loss=*/true);
      },
      "the loss of a sample is -1, which has no logarithm; arks needs a loss that is never negative");
}

TEST(FunctionProblem, NumbersItsParameters) {
  const auto a = normal({2}), b = normal({3});
  FunctionProblem problem(half_square, {a, b});
  const auto state = problem.state();
  ASSERT_EQ(state.size(), 2u);
  EXPECT_EQ(state[0].first, "parameter0");
  EXPECT_EQ(state[1].first, "parameter1");
  EXPECT_TRUE(state[0].second.is_same(a));
  EXPECT_TRUE(problem.parameters()[1].is_same(b));
  EXPECT_EQ(problem.architecture(), "custom");
}

TEST(FunctionProblem, NeedsNoParametersAndNoModes) {
  FunctionProblem problem(half_square);
  EXPECT_TRUE(problem.parameters().empty());
  EXPECT_TRUE(problem.state().empty());
  EXPECT_TRUE(problem.training_modes().empty());
  problem.train(true);
  problem.set_training_modes({});
}

TEST(FunctionProblem, RefusesAnEmptyFunction) {
  expect_error([] { FunctionProblem problem{FunctionProblem::Function()}; }, "the loss is an empty function");
}

TEST(FunctionProblem, RefusesLossesThatAreWholeNumbers) {
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return u.argmax(1); });
  expect_error(
      [&] {
        problem.per_sample_loss(normal({4, 3}), {});
      },
      "per-sample losses must be floating point, got type Long");
}

TEST(FunctionProblem, RefusesWhatIsNotOneLossPerSample) {
  const auto u = normal({4, 3});
  FunctionProblem mean([](const torch::Tensor& v, const torch::Tensor&) { return v.pow(2).mean(); });
  expect_error([&] { mean.per_sample_loss(u, {}); }, "must have shape [4], one value per sample, got []");
  FunctionProblem column([](const torch::Tensor& v, const torch::Tensor&) { return v.sum(1, /*keepdim=*/true); });
  expect_error([&] { column.evaluate(u, {}); }, "must have shape [4], one value per sample, got [4, 1]");
  FunctionProblem nothing([](const torch::Tensor&, const torch::Tensor&) { return torch::Tensor(); });
  expect_error([&] { nothing.evaluate(u, {}); }, "must have shape [4], one value per sample, got nothing");
}

TEST(FunctionProblem, SaysInOneLineWhyTheLossCannotBeComputed) {
  FunctionProblem problem([w = torch::ones({3, 1})](const auto& u, const auto& /*y*/) { return u.mm(w).squeeze(1); },
                          {});
  testing::expect_error(
      [&] {
        problem.per_sample_loss(torch::ones({2, 3}, torch::kDouble), {});
      },
      "the loss cannot be computed for inputs of shape [2, 3] and type Double");
}

}  // namespace arks
