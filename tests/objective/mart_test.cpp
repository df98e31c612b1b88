#include <arks/objective/mart.h>

#include <cmath>

#include "objective/samples.h"
#include "train/runs.h"

namespace arks {

using testing::evaluated;
using testing::expect_error;
using testing::normal;
using testing::small_batch;
using testing::small_net;
using testing::steps;

namespace {

/// The identity as a network, so that a batch of inputs is a batch of logits.
SupervisedProblem identity() {
  return {[](const torch::Tensor& u) { return u; }, CrossEntropy()};
}

double value_of(const Objective& objective, Problem& problem, const Batch& batch) {
  auto generator = make_generator(0, Stream::kObjective);
  return (*objective.bind(problem))(batch, generator).value.item<double>();
}

}  // namespace

TEST(Mart, WithoutABallIsBoostedCrossEntropy) {
  auto problem = identity();
  const Batch batch{normal({9, 4}), torch::arange(9, torch::kLong).remainder(4)};
  const auto p = batch.inputs.softmax(1);
  const auto right = p.gather(1, batch.targets.unsqueeze(1)).squeeze(1);
  const auto rival = p.scatter(1, batch.targets.unsqueeze(1), 0.0).amax(1);
  const double expected = -(right.log() + (1.0001 - rival + 1e-12).log()).mean().item<double>();
  EXPECT_NEAR(value_of(Mart(MartOptions().eps(0), steps()), problem, batch), expected, 1e-13);
}

TEST(Mart, BoostsASureMistakeUpToTheFloorOfTheAuthors) {
  // in float32 the difference 1.0001 − p would be wrong in the fourth digit where it is near 0.0001
  auto problem = identity();
  const auto boost = [&](float margin) {
    const Batch batch{torch::tensor({{0.0f, margin}}), torch::zeros({1}, torch::kLong)};
    return value_of(Mart(MartOptions().eps(0), steps()), problem, batch) - std::log1p(std::exp(double{margin}));
  };
  for (const float margin : {1.0F, 5.0F, 9.0F, 12.0F, 20.0F, 60.0F}) {
    EXPECT_NEAR(boost(margin), -std::log(1.0001 - 1 / (1 + std::exp(-double{margin})) + 1e-12), 5e-5) << margin;
  }
}

TEST(Mart, ValueIsThatOfItsFormulaAtThePointsOfPgd) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    const Mart objective(MartOptions().beta(5).eps(0.2).norm(norm), steps());
    auto generator = make_generator(0, Stream::kObjective);
    const auto u = objective.bind(problem)->find(batch, generator).u;
    const auto sums = evaluated(objective, problem, batch).sums;
    const auto p = problem.predict(batch.inputs).softmax(1), q = problem.predict(u).softmax(1);
    const auto y = batch.targets.unsqueeze(1);
    const auto boosted = -q.gather(1, y).log() - (1.0001 - q.scatter(1, y, 0.0).amax(1, true) + 1e-12).log();
    const auto divergence = (p * (p / q).log()).sum(1, true) * (1 - p.gather(1, y));
    EXPECT_NEAR(sums.surrogate, (boosted + 5 * divergence).sum().item<double>(), 1e-11);
    const auto clean = problem.evaluate(batch.inputs, batch.targets);
    EXPECT_NEAR(sums.loss, clean.loss.sum().item<double>(), 1e-13);
    EXPECT_EQ(sums.wrong, clean.wrong.sum().item<double>());
    EXPECT_NEAR(*sums.adversarial_loss, problem.per_sample_loss(u, batch.targets).sum().item<double>(), 1e-12);
    EXPECT_GT(*sums.adversarial_loss, sums.loss) << "nothing was climbed";
  }
}

TEST(Mart, GradientMatchesDifferences) {
  testing::expect_weight_gradient_matches(Mart(MartOptions().eps(0.2), steps()));
}

TEST(Mart, StaysWithinBoundsAndRadiiPerFeature) {
  const auto scale = torch::tensor({1.0, 0.0, 2.0, 1.0, 0.5, 1.0}, torch::kDouble);
  const auto options = MartOptions().eps(0.2).eps_scale(scale).bounds(Bounds{0, 1});
  testing::expect_points_within(Mart(options, steps(10)), scale);
}

TEST(Mart, ResumesBitForBit) {
  testing::expect_resume_changes_nothing(Mart(MartOptions().eps(0.1), steps(2, 0.03)), testing::short_run(),
                                         testing::linear_problem);
}

TEST(Mart, RunsOnTheEngineAsOnLibtorch) {
  testing::expect_engine_as_libtorch(Mart(MartOptions().eps(0.1).bounds(Bounds{0, 1}), steps(3, 0.03)));
}

TEST(Mart, RefusesWhatItCannotUse) {
  expect_error([] { Mart objective(MartOptions().beta(-1)); }, "mart: beta must be finite and not negative, got -1");
  expect_error([] { Mart objective(MartOptions().eps(-0.1)); }, "eps must be finite and not negative, got -0.1");
  SupervisedProblem regression(small_net(), SquaredError());
  expect_error([&] { Mart(MartOptions()).bind(regression); },
               "mart: margins and divergences of predictions need classes; this problem has none");
}

}  // namespace arks
