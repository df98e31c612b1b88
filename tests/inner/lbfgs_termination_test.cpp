// When L-BFGS ends for a sample, and what it makes of numbers that are none.
#include "inner/losses.h"

#include <limits>

namespace arks {

using namespace testing;

namespace {

constexpr double kInfiniteLoss = std::numeric_limits<double>::infinity();

InnerResult climbed(const FunctionProblem::Function& loss, const AscentOptions& ascent, const torch::Tensor& x,
                    const torch::Tensor& y = {}, const ConstraintPtr& constraint = unconstrained()) {
  FunctionProblem problem(loss);
  return make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, ascent, constraint)->maximize(x, y);
}

/// A hill for every sample: 1 − ln cosh(y·u) summed, of slopes up to y.
torch::Tensor hills(const torch::Tensor& u, const torch::Tensor& y) {
  return 1 - (y.unsqueeze(1) * u).cosh().log().sum(1);
}

}  // namespace

TEST(LbfgsTermination, IsTheStepLimitOnALongWay) {
  const auto x = torch::tensor({{1.5, 0.7}}, torch::kDouble);
  const auto found = climbed(hills, lbfgs(2), x, torch::ones({1}, torch::kDouble));
  EXPECT_EQ(found.count(Termination::kStepLimit), 1);
  EXPECT_GT(found.values.item<double>(), found.start_losses.item<double>());
}

TEST(LbfgsTermination, LooksAtTheStartAloneWithoutSteps) {
  int passes = 0;
  const auto x = normal({3, 2});
  const auto found = climbed(
      [&](const torch::Tensor& u, const torch::Tensor& y) {
        ++passes;
        return hills(u, y);
      },
      lbfgs(0), x, torch::ones({3}, torch::kDouble));
  EXPECT_EQ(passes, 1);
  EXPECT_TRUE(identical(found.u, x));
  EXPECT_TRUE(identical(found.values, found.start_losses));
  EXPECT_EQ(found.count(Termination::kStepLimit), 3);
}

TEST(LbfgsTermination, IsTheToleranceWhereTheGradientIsSmall) {
  const auto x = normal({4, 3});
  const auto y = torch::tensor({1.0, 2.0, 5.0, 1e-6}, torch::kDouble);
  const auto found = climbed(hills, lbfgs(50).tolerance(1e-5), x, y);
  EXPECT_EQ(found.count(Termination::kGradientTolerance), 4);
  const auto u = found.u.clone().set_requires_grad(true);
  hills(u, y).sum().backward();
  EXPECT_LE(u.grad().abs().max().item<double>(), 1e-5);
  EXPECT_TRUE(identical(found.u[3], x[3]));  // it began there
}

TEST(LbfgsTermination, IsTheToleranceAtTheEdgeOfTheSet) {
  const auto x = torch::zeros({2, 3}, torch::kDouble);
  const auto y = torch::tensor({1.0, -2.0}, torch::kDouble);
  const auto slope_times_sum = [](const torch::Tensor& u, const torch::Tensor& slope) { return slope * u.sum(1); };
  const auto found = climbed(slope_times_sum, lbfgs(10).tolerance(0.5), x, y, make_ball(Norm::kLinf, 0.3));
  EXPECT_EQ(found.count(Termination::kGradientTolerance), 2);
  EXPECT_TRUE(identical(found.u, 0.3 * y.sign().unsqueeze(1).expand({2, 3})));
}

TEST(LbfgsTermination, IsTheZeroGradientOfAConstantLoss) {
  const auto x = normal({2, 3});
  const auto flat = climbed([](const torch::Tensor& u, const torch::Tensor&) { return 0 * u.sum(1) + 2; }, lbfgs(5), x);
  EXPECT_EQ(flat.count(Termination::kZeroGradient), 2);
  EXPECT_TRUE(identical(flat.u, x));
  testing::expect_error(
      [&] { climbed([](const torch::Tensor& u, const torch::Tensor&) { return u.detach().sum(1); }, lbfgs(5), x); },
      "no gradient of the loss comes back to the input");
}

TEST(LbfgsTermination, IsNoProgressAtTheTop) {
  const auto x = normal({4, 3});
  const auto y = torch::tensor({1.0, 2.0, 5.0, 0.3}, torch::kDouble);
  // off the grid of the numbers, so that no gradient is exactly zero; the value at the top is no round number either
  const auto off = [](const torch::Tensor& u, const torch::Tensor& slope) {
    return (u - 1.0 / 3).sin().sum(1) - slope * (u + 0.1).pow(2).sum(1) + 1.0 / 7;
  };
  int passes = 0;
  const auto found = climbed(
      [&](const torch::Tensor& u, const torch::Tensor& slope) {
        ++passes;
        return off(u, slope);
      },
      lbfgs(1000), x, y);
  EXPECT_EQ(found.count(Termination::kNoProgress) + found.count(Termination::kZeroGradient), 4);
  EXPECT_GT(found.count(Termination::kNoProgress), 0);
  EXPECT_LT(passes, 60);  // it does not grind on where rounding hides φ
  const auto u = found.u.clone().set_requires_grad(true);
  off(u, y).sum().backward();
  EXPECT_LT(u.grad().abs().max().item<double>(), 1e-6);
}

TEST(LbfgsTermination, IsNoProgressInACornerOfTheSet) {
  // all of the gradient presses against the edge, and there is no tolerance that would call it small
  const auto x = torch::ones({1, 2}, torch::kDouble);
  int passes = 0;
  const auto found = climbed(
      [&](const torch::Tensor& u, const torch::Tensor&) {
        ++passes;
        return u.sum(1);
      },
      lbfgs(50), x, {}, std::make_shared<Box>(Bounds{0, 1}));
  EXPECT_EQ(found.terminations[0], Termination::kNoProgress);
  EXPECT_EQ(passes, 1);
  EXPECT_TRUE(identical(found.u, x));
}

TEST(LbfgsTermination, IsNoProgressWhereTheGradientPointsTheWrongWay) {
  // the slope promises a rise that never comes, as an estimated gradient may
  const auto lying = [](const torch::Tensor& u, const torch::Tensor&) {
    return -u.detach().pow(2).sum(1) + (u - u.detach()).sum(1);
  };
  const auto x = torch::zeros({2, 2}, torch::kDouble);
  for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
    const auto found = climbed(lying, lbfgs(10).returned(returned), x);
    EXPECT_EQ(found.count(Termination::kNoProgress), 2);
    EXPECT_TRUE(identical(found.u, x));
  }
}

TEST(LbfgsTermination, TakesATrialThatIsNotFiniteAsTooLong) {
  // a wall at |u| = 1, with the top before it: what lies behind must not end the search
  for (const double wall : {std::nan(""), kInfiniteLoss, -kInfiniteLoss}) {
    const auto walled = [&](const torch::Tensor& u, const torch::Tensor& y) {
      const auto behind = (y == 1).logical_and(u.detach().abs().amax(1) >= 1);
      return 2 * (10 * u).tanh().sum(1) - 4 * u.pow(2).sum(1) + torch::where(behind, wall, 0.0);
    };
    const auto x = -0.05 * torch::ones({2, 2}, torch::kDouble);
    const auto y = torch::tensor({0, 1}, torch::kLong);
    for (const double rate : {1.0, 30.0}) {
      for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
        const auto found = climbed(walled, lbfgs(60).learning_rate(rate).returned(returned), x, y);
        EXPECT_NE(found.terminations[1], Termination::kNotFinite) << wall;
        EXPECT_LT(max_difference(found.u[0], found.u[1]), 1e-6) << wall;
        EXPECT_LT(max_difference(found.values[0], found.values[1]), 1e-12) << wall;
      }
    }
  }
}

TEST(LbfgsTermination, IsNotFiniteWhereAllOfTheWayIs) {
  // the start is fine, and every other point is none
  for (const double poison : {std::nan(""), kInfiniteLoss}) {
    const auto poisoned = [&](const torch::Tensor& u, const torch::Tensor& y) {
      const auto away = (y == 1).logical_and(u.detach().abs().amax(1) > 0);
      return -(u - 1).pow(2).sum(1) + torch::where(away, poison, 0.0);
    };
    const auto x = torch::zeros({2, 2}, torch::kDouble);
    const auto found = climbed(poisoned, lbfgs(10), x, torch::tensor({0, 1}, torch::kLong));
    EXPECT_NE(found.terminations[0], Termination::kNotFinite);
    EXPECT_LT(max_difference(found.u[0], torch::ones({2}, torch::kDouble)), 1e-9);
    EXPECT_EQ(found.terminations[1], Termination::kNotFinite);
    EXPECT_TRUE(identical(found.u[1], x[1]));
    EXPECT_EQ(found.values[1].item<double>(), -2);
  }
}

TEST(LbfgsTermination, IsNotFiniteWhereTheStartOrItsGradientIs) {
  // √u has no value below 0 and an infinite slope at 0
  const auto roots = [](const torch::Tensor& u, const torch::Tensor&) { return (u.sqrt() - u).sum(1); };
  const auto x = torch::tensor({{-1.0, 1.0}, {0.0, 1.0}, {1.0, 2.0}}, torch::kDouble);
  const auto found = climbed(roots, lbfgs(30), x);
  EXPECT_EQ(found.terminations[0], Termination::kNotFinite);
  EXPECT_TRUE(found.values[0].isnan().item<bool>());
  EXPECT_EQ(found.terminations[1], Termination::kNotFinite);
  EXPECT_TRUE(identical(found.u.narrow(0, 0, 2), x.narrow(0, 0, 2)));
  EXPECT_LT(max_difference(found.u[2], torch::full({2}, 0.25, torch::kDouble)), 1e-7);
}

TEST(LbfgsTermination, DoesNotReturnInfinitePointsOfABoundedLoss) {
  const auto bounded = [](const torch::Tensor& u, const torch::Tensor&) { return (40 * u).sigmoid().sum(1); };
  const auto x = torch::zeros({2, 1}, torch::kDouble);
  for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
    const auto found = climbed(bounded, lbfgs(3).learning_rate(1.7e308).returned(returned), x + 1e-3);
    EXPECT_TRUE(found.u.isfinite().all().item<bool>());
    EXPECT_TRUE((found.values >= found.start_losses).all().item<bool>());
    EXPECT_TRUE(returned == InnerReturn::kLast || (found.values == 1).all().item<bool>());
  }
}

TEST(LbfgsTermination, RefusesOptionsThatCannotBeUsed) {
  const auto lbfgs = AscentOptions().rule(AscentRule::kLbfgs);
  expect_error([&] { check(AscentOptions(lbfgs).history(0)); }, "inner history must be positive, got 0");
  expect_error([&] { check(AscentOptions(lbfgs).mode(InnerMode::kTrain)); },
               "inner optimiser lbfgs needs inner mode eval, got train");
  expect_error([&] { make_ascent(lbfgs); }, "make_maximizer runs it, make_ascent cannot");
  FunctionProblem problem(hills);
  expect_error(
      [&] {
        make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, AscentOptions(lbfgs).mode(InnerMode::kTrain),
                       unconstrained());
      },
      "samples that are done leave the batch");
  auto maximizer = make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, lbfgs, unconstrained());
  expect_error([&] { maximizer->maximize(torch::empty({0, 3}), {}); }, "the batch is empty");
  expect_error([&] { maximizer->maximize(normal({2, 3}), {}, normal({2, 2})); }, "the start has shape [2, 2]");
}

}  // namespace arks
