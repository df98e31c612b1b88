// What the maximisation reports, sample by sample, and what it refuses.
#include "inner/losses.h"

namespace arks {

using namespace testing;

TEST(Maximizer, ReportsWhatAFreshEvaluationFinds) {
  SmoothNet smooth;
  const GaussianKernel kernel(0.5);
  for (const bool log : {false, true}) {
    for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
      const auto ascent = AscentOptions().learning_rate(0.1).returned(returned);
      const auto found = arks_of(smooth.problem, kernel, log, ascent, smooth.x, smooth.y);
      const auto loss = smooth.problem.per_sample_loss(found.u, smooth.y).detach();
      const auto cost = (*kernel.cost())(found.u, smooth.x);
      EXPECT_LT(max_difference(found.losses, loss), 1e-14);
      EXPECT_LT(max_difference(found.costs, cost), 1e-14);
      const auto value = loss * torch::exp(-cost / 0.25);
      EXPECT_LT(max_difference(found.values, log ? value.log() : value), 1e-13);
      const auto start = smooth.problem.evaluate(smooth.x, smooth.y);
      EXPECT_TRUE(identical(found.start_losses, start.loss.detach()));
      EXPECT_TRUE(identical(found.start_wrong, start.wrong));
      EXPECT_EQ(found.terminations.size(), 8u);
      EXPECT_EQ(found.count(Termination::kStepLimit), 8);
    }
  }
}

TEST(Maximizer, BeginsWhereItIsTold) {
  SmoothNet smooth;
  const auto start = smooth.x + 0.3 * normal({8, 4}, 4);
  auto maximizer = make_maximizer(smooth.problem, std::make_shared<KernelProduct>(0.25), make_cost("half-sq-l2"),
                                  AscentOptions().steps(0), unconstrained());
  const auto unmoved = maximizer->maximize(smooth.x, smooth.y, start);
  EXPECT_TRUE(identical(unmoved.u, start));
  EXPECT_TRUE(identical(unmoved.start_losses, smooth.problem.per_sample_loss(start, smooth.y).detach()));
  EXPECT_TRUE(identical(unmoved.losses, unmoved.start_losses));
  EXPECT_LT(max_difference(unmoved.values, unmoved.losses * GaussianKernel(0.5)(start, smooth.x)), 1e-15);
}

TEST(Maximizer, GivesZeroCostsWhereThereIsNoCost) {
  Linear linear;
  auto maximizer = make_maximizer(linear.problem, std::make_shared<LossAlone>(), nullptr, AscentOptions(),
                                  std::make_shared<LinfBall>(0.1));
  const auto found = maximizer->maximize(linear.x, {});
  EXPECT_TRUE(identical(found.costs, torch::zeros({5}, torch::kDouble)));
  EXPECT_FALSE(found.start_wrong.defined());
}

TEST(Maximizer, FindsTheSameLastPointWithoutMeasuringIt) {
  const auto w = normal({3}, 4);
  int64_t evaluations = 0;
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor&) {
    ++evaluations;
    return u.matmul(w).pow(2) + 1;
  });
  auto x = normal({4, 3});
  x[2].zero_();  // has no gradient and stays
  for (const int64_t steps : {0, 1, 4}) {
    const auto last = testing::plain_ascent(0.1, steps).returned(InnerReturn::kLast);
    const auto found = [&](const AscentOptions& ascent) {
      evaluations = 0;
      return make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, ascent, testing::unconstrained())
          ->maximize(x, {});
    };
    const auto measured = found(last);
    EXPECT_EQ(evaluations, steps + 1);
    const auto unmeasured = found(AscentOptions(last).measures_last(false));
    EXPECT_EQ(evaluations, std::max<int64_t>(steps, 1));
    EXPECT_TRUE(testing::identical(unmeasured.u, measured.u)) << steps;
    EXPECT_EQ(unmeasured.terminations, measured.terminations) << steps;
  }
  // a step that leaves the finite numbers is not taken
  const auto endless = testing::plain_ascent(1e308, 1).returned(InnerReturn::kLast).measures_last(false);
  const auto kept = make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, endless, testing::unconstrained())
                        ->maximize(1e3 * x, {});
  EXPECT_TRUE(testing::identical(kept.u, 1e3 * x));
  EXPECT_EQ(kept.count(Termination::kNotFinite), 3);
  testing::expect_error([] { check(AscentOptions().measures_last(false)); },
                        "the last iterate must be measured unless");
  testing::expect_error(
      [&] {
        make_maximizer(problem, std::make_shared<LossAlone>(), std::make_shared<L2>(),
                       testing::plain_ascent(0.1, 1).returned(InnerReturn::kLast).measures_last(false),
                       testing::unconstrained());
      },
      "leaves the cost of the last iterate unknown");
}

TEST(Maximizer, ASampleThatStoppedIsNotTakenUnmeasured) {
  // the loss of the first sample is infinite where its first step leads, that of the second is never
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) {
    const auto sum = u.sum(1);
    return torch::where(sum > 10, torch::full_like(sum, INFINITY), sum);
  });
  const auto x = torch::tensor({{9.95, 0.0}, {0.0, 0.0}}, torch::kDouble);
  const auto found = [&](bool measured) {
    const auto ascent = testing::plain_ascent(0.1, 3).returned(InnerReturn::kLast).measures_last(measured);
    return make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, ascent, testing::unconstrained())
        ->maximize(x, {});
  };
  const auto unmeasured = found(false);
  EXPECT_TRUE(testing::identical(unmeasured.u, found(true).u));
  EXPECT_TRUE(testing::identical(unmeasured.u[0], x[0]));
  EXPECT_EQ(unmeasured.terminations[0], Termination::kNotFinite);
}

TEST(Maximizer, TreatsEverySampleForItself) {
  SmoothNet smooth;
  const GaussianKernel kernel(0.5);
  for (const auto rule : kRules) {
    const auto ascent = AscentOptions().rule(rule).learning_rate(0.05);
    const auto together = arks_of(smooth.problem, kernel, /*log=*/true, ascent, smooth.x, smooth.y);
    for (const int64_t size : {1, 3}) {
      for (int64_t i = 0; i + size <= 8; i += size) {
        const auto alone = arks_of(smooth.problem, kernel, /*log=*/true, ascent, smooth.x.narrow(0, i, size),
                                   smooth.y.narrow(0, i, size));
        // matrix products of another height round differently in the last bits
        EXPECT_LT(max_difference(alone.u, together.u.narrow(0, i, size)), 1e-11);
        EXPECT_LT(max_difference(alone.values, together.values.narrow(0, i, size)), 1e-12);
      }
    }
  }
}

TEST(Maximizer, KeepsTheTypeOfTheInputs) {
  SmoothNet smooth;
  const GaussianKernel kernel(0.5);
  const auto in_double = arks_of(smooth.problem, kernel, /*log=*/false, AscentOptions(), smooth.x, smooth.y);
  smooth.net->to(torch::kFloat);
  const auto in_float =
      arks_of(smooth.problem, kernel, /*log=*/false, AscentOptions(), smooth.x.to(torch::kFloat), smooth.y);
  for (const auto& tensor : {in_double.u, in_double.values, in_double.losses, in_double.costs}) {
    EXPECT_EQ(tensor.scalar_type(), torch::kDouble);
  }
  for (const auto& tensor : {in_float.u, in_float.values, in_float.losses, in_float.costs, in_float.start_losses}) {
    EXPECT_EQ(tensor.scalar_type(), torch::kFloat);
  }
  EXPECT_LT(max_difference(in_double.values, in_float.values), 1e-5);  // 15 float32 steps
}

TEST(Maximizer, RefusesWhatItCannotWorkWith) {
  Linear linear;
  const auto product = std::make_shared<KernelProduct>(1);
  auto maximizer = make_maximizer(linear.problem, product, make_cost("half-sq-l2"), AscentOptions(), unconstrained());
  expect_error([&] { maximizer->maximize(torch::empty({0, 3}), {}); }, "the batch is empty");
  expect_error([&] { maximizer->maximize(torch::ones({}), {}); }, "the batch is empty");
  expect_error(
      [&] {
        maximizer->maximize(torch::ones({2, 3}, torch::kLong), {});
      },
      "the inputs must be floating point, got Long");
  expect_error(
      [&] {
        maximizer->maximize(linear.x, {}, normal({5, 2}));
      },
      "the start has shape [5, 2], but the batch has [5, 3]");
  expect_error([&] { make_maximizer(linear.problem, product, nullptr, AscentOptions(), unconstrained()); },
               "this objective needs a cost");
  expect_error([&] { make_maximizer(linear.problem, nullptr, nullptr, AscentOptions(), unconstrained()); },
               "objective and constraint must be given");
  expect_error([&] { make_maximizer(linear.problem, product, make_cost("l2"), AscentOptions(), nullptr); },
               "objective and constraint must be given");
  expect_error(
      [&] { make_maximizer(linear.problem, product, make_cost("l2"), AscentOptions().steps(-1), unconstrained()); },
      "inner steps must not be negative, got -1");
}

}  // namespace arks
