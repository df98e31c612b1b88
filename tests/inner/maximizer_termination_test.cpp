// When the ascent of a sample ends, and that it ends for that sample alone.
#include "inner/losses.h"

#include <limits>

namespace arks {

using testing::identical;
using testing::max_difference;
using testing::normal;
using testing::plain_ascent;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::unique_ptr<Maximizer> penalised(Problem& problem, const AscentOptions& ascent) {
  return make_maximizer(problem, std::make_shared<LinearPenalty>(1), make_cost("sq-l2"), ascent,
                        std::make_shared<Unconstrained>());
}

/// l = y·sum(u), so that the sample's own y says how steep it is.
torch::Tensor slope_times_sum(const torch::Tensor& u, const torch::Tensor& y) {
  return y * u.sum(1);
}

/// l = sum(u), and `poison` added to the samples with y = 1 once they are more than 1 from the origin.
class Poisoned : public Problem {
 public:
  explicit Poisoned(double poison) : poison_(poison) {}
  torch::Tensor per_sample_loss(const torch::Tensor& u, const torch::Tensor& y) override {
    const auto beyond = (y == 1).logical_and(u.detach().norm(2, 1) > 1);
    return u.sum(1) + torch::where(beyond, poison_, 0.0);
  }
  std::vector<torch::Tensor> parameters() override { return {}; }

 private:
  double poison_;
};

}  // namespace

TEST(Termination, IsTheStepLimitWithoutATolerance) {
  FunctionProblem problem(slope_times_sum);
  const auto y = torch::tensor({1.0, 2.0}, torch::kDouble);
  const auto found = penalised(problem, plain_ascent(0.1, 5))->maximize(torch::zeros({2, 3}, torch::kDouble), y);
  EXPECT_EQ(found.count(Termination::kStepLimit), 2);
}

TEST(Termination, ComesToEverySampleInItsOwnTime) {
  // the gradient y − 2u halves with every step of 1/4: y/2^k ≤ 1e-3 after 10 steps for y = 1, never in 12 for y = 100
  std::vector<torch::Tensor> visited;
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor& y) {
    visited.push_back(u.detach().clone());
    return slope_times_sum(u, y);
  });
  const auto x = torch::zeros({3, 2}, torch::kDouble);
  const auto y = torch::tensor({1.0, 100.0, 1e-4}, torch::kDouble);
  const auto ascent = plain_ascent(0.25, 12).tolerance(1e-3);
  const auto found = penalised(problem, ascent)->maximize(x, y);
  EXPECT_EQ(found.terminations[0], Termination::kGradientTolerance);
  EXPECT_EQ(found.terminations[1], Termination::kStepLimit);
  EXPECT_EQ(found.terminations[2], Termination::kGradientTolerance);
  ASSERT_EQ(visited.size(), 13u);
  EXPECT_TRUE(identical(visited[10][0], visited[12][0]));
  EXPECT_FALSE(identical(visited[9][0], visited[10][0]));
  EXPECT_FALSE(identical(visited[11][1], visited[12][1]));
  EXPECT_TRUE(identical(visited[12][2], x[2]));  // stopped before the first step
}

TEST(Termination, OfASampleLeavesItsResultAsIfItWereAlone) {
  FunctionProblem problem(slope_times_sum);
  const auto x = normal({3, 2});
  const auto y = torch::tensor({1.0, 100.0, 1e-4}, torch::kDouble);
  for (const auto rule : {AscentRule::kSgd, AscentRule::kAmsgrad, AscentRule::kNormalized}) {
    for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
      const auto ascent = AscentOptions().rule(rule).learning_rate(0.05).steps(40).tolerance(0.2).returned(returned);
      const auto together = penalised(problem, ascent)->maximize(x, y);
      for (int64_t i = 0; i < 3; ++i) {
        const auto alone = penalised(problem, ascent)->maximize(x.narrow(0, i, 1), y.narrow(0, i, 1));
        EXPECT_EQ(alone.terminations[0], together.terminations[static_cast<size_t>(i)]);
        EXPECT_LT(max_difference(alone.u[0], together.u[i]), 1e-13);  // sums of another height round differently
        EXPECT_LT(max_difference(alone.values[0], together.values[i]), 1e-12);
      }
    }
  }
}

TEST(Termination, OfAllSamplesEndsTheWork) {
  int evaluations = 0;
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor& y) {
    ++evaluations;
    return slope_times_sum(u, y);
  });
  const auto x = torch::zeros({2, 3}, torch::kDouble);
  const auto y = torch::tensor({1.0, 2.0}, torch::kDouble);
  const auto found = penalised(problem, plain_ascent(0.25, 1000).tolerance(1e-6))->maximize(x, y);
  EXPECT_EQ(found.count(Termination::kGradientTolerance), 2);
  EXPECT_EQ(evaluations, 22);  // 2/2^21 ≤ 1e-6: the start and 21 steps
}

TEST(Termination, ComesAtTheEdgeOfTheSetWhereTheGradientLeadsOut) {
  // l = y·sum(u) has a gradient of y everywhere, but in the corner of the ball none of it can be followed
  int evaluations = 0;
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor& y) {
    ++evaluations;
    return slope_times_sum(u, y);
  });
  const auto x = torch::zeros({2, 3}, torch::kDouble);
  const auto y = torch::tensor({1.0, -2.0}, torch::kDouble);
  // a tolerance above the radius: gradients count, not what is left of the way
  const auto ascent = AscentOptions().rule(AscentRule::kSign).learning_rate(0.1).steps(50).tolerance(0.5);
  const auto found =
      make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, ascent, make_ball(Norm::kLinf, 0.3))
          ->maximize(x, y);
  EXPECT_EQ(found.count(Termination::kGradientTolerance), 2);
  EXPECT_LT(max_difference(found.u, 0.3 * y.sign().unsqueeze(1).expand({2, 3})), 1e-15);
  EXPECT_LE(evaluations, 5);  // the start and three or, with rounding, four steps
}

TEST(Termination, TellsAZeroGradientFromASmallOne) {
  FunctionProblem problem(slope_times_sum);
  const auto x = torch::zeros({2, 3}, torch::kDouble);
  const auto y = torch::tensor({0.0, 1e-5}, torch::kDouble);
  const auto found = penalised(problem, plain_ascent(0.25, 5).tolerance(1e-3))->maximize(x, y);
  EXPECT_EQ(found.terminations[0], Termination::kZeroGradient);
  EXPECT_EQ(found.terminations[1], Termination::kGradientTolerance);
}

TEST(Termination, KeepsAFiniteIterateOfASampleThatLeavesTheNumbers) {
  const auto x = 0.1 * normal({3, 2});
  const auto y = torch::tensor({0, 1, 0}, torch::kLong);
  Poisoned healthy(0);
  for (const auto rule : {AscentRule::kSgd, AscentRule::kAdam, AscentRule::kSign, AscentRule::kNormalized}) {
    for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
      for (const double poison : {std::nan(""), kInfinity, -kInfinity}) {
        const auto ascent = AscentOptions().rule(rule).learning_rate(0.15).steps(30).returned(returned);
        Poisoned problem(poison);
        const auto maximize = [&](Problem& p) {
          return make_maximizer(p, std::make_shared<LossAlone>(), nullptr, ascent, std::make_shared<Unconstrained>())
              ->maximize(x, y);
        };
        const auto found = maximize(problem), expected = maximize(healthy);
        EXPECT_EQ(found.terminations[1], Termination::kNotFinite) << poison;
        EXPECT_TRUE(found.u.isfinite().all().item<bool>()) << poison;
        EXPECT_TRUE(found.values.isfinite().all().item<bool>()) << poison;
        EXPECT_TRUE(found.losses.isfinite().all().item<bool>()) << poison;
        EXPECT_LE(found.u[1].norm().item<double>(), 1) << poison;
        EXPECT_GT(found.values[1].item<double>(), found.start_losses[1].item<double>()) << poison;
        for (const int64_t i : {0, 2}) {
          EXPECT_EQ(found.terminations[static_cast<size_t>(i)], Termination::kStepLimit);
          EXPECT_TRUE(identical(found.u[i], expected.u[i])) << poison;
          EXPECT_TRUE(identical(found.values[i], expected.values[i])) << poison;
        }
      }
    }
  }
}

TEST(Termination, SeesThatTheVeryLastIterateLeftTheNumbers) {
  const auto x = torch::zeros({2, 2}, torch::kDouble);
  Poisoned problem(kInfinity);
  auto maximizer = make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, plain_ascent(10, 1),
                                  std::make_shared<Unconstrained>());
  const auto found = maximizer->maximize(x, torch::tensor({0, 1}, torch::kLong));
  EXPECT_EQ(found.terminations[0], Termination::kStepLimit);
  EXPECT_EQ(found.terminations[1], Termination::kNotFinite);
  EXPECT_TRUE(identical(found.u[1], x[1]));
}

TEST(Termination, SeesAGradientThatIsNotFinite) {
  // √|u| has an infinite slope at 0, where the first sample begins
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return u.sqrt().sum(1); });
  const auto x = torch::tensor({{0.0, 1.0}, {1.0, 1.0}}, torch::kDouble);
  const auto found = penalised(problem, plain_ascent(0.1, 5))->maximize(x, {});
  EXPECT_EQ(found.terminations[0], Termination::kNotFinite);
  EXPECT_TRUE(identical(found.u[0], x[0]));
  EXPECT_EQ(found.terminations[1], Termination::kStepLimit);
  EXPECT_GE(found.values[1].item<double>(), 2);
}

TEST(Termination, DoesNotReturnInfinitePointsOfABoundedLoss) {
  // a slope of 10 at 0 and a step of 1e308 lead to u = ∞, where the loss is 1 and finite
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return (40 * u).sigmoid().sum(1); });
  const auto x = torch::zeros({2, 1}, torch::kDouble);
  for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
    auto maximizer = make_maximizer(problem, std::make_shared<LossAlone>(), nullptr,
                                    plain_ascent(1e308, 3).returned(returned), std::make_shared<Unconstrained>());
    const auto found = maximizer->maximize(x, {});
    EXPECT_EQ(found.count(Termination::kNotFinite), 2);
    EXPECT_TRUE(identical(found.u, x));
    EXPECT_TRUE(identical(found.values, found.start_losses));
  }
}

TEST(Termination, IsNotFiniteWhereTheStartAlreadyIs) {
  Poisoned problem(std::nan(""));
  const auto x = torch::tensor({{0.1, 0.1}, {3.0, 3.0}}, torch::kDouble);
  auto maximizer = make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, plain_ascent(0.1, 3),
                                  std::make_shared<Unconstrained>());
  const auto found = maximizer->maximize(x, torch::ones({2}, torch::kLong));
  EXPECT_EQ(found.terminations[1], Termination::kNotFinite);
  EXPECT_TRUE(identical(found.u[1], x[1]));  // there is no finite iterate: the start, with its value
  EXPECT_TRUE(found.values[1].isnan().item<bool>());
  EXPECT_EQ(found.terminations[0], Termination::kStepLimit);
}

}  // namespace arks
