#include <arks/objective/mart.h>

#include <cmath>

#include "objective/samples.h"
#include "train/runs.h"

namespace arks {

using testing::evaluated;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;
using testing::small_batch;
using testing::small_net;

namespace {

AscentOptions steps(int64_t count = 5, double rate = 0.05) {
  return AscentOptions().steps(count).learning_rate(rate);
}

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
  const double expected = -(right.log() + (1 - rival + 1e-12).log()).mean().item<double>();
  EXPECT_NEAR(value_of(Mart(MartOptions().eps(0), steps()), problem, batch), expected, 1e-13);
}

TEST(Mart, TellsASureMistakeFromASurerOneInFloat32) {
  // 1 − p is 0 in float32 from a margin of 17 on; the floor of 1e-12 is reached at 27.6
  auto problem = identity();
  const auto boost = [&](float margin) {
    const Batch batch{torch::tensor({{0.0f, margin}}), torch::zeros({1}, torch::kLong)};
    return value_of(Mart(MartOptions().eps(0), steps()), problem, batch) - margin;
  };
  EXPECT_NEAR(boost(20), 20, 1e-3);
  EXPECT_NEAR(boost(25), -std::log(std::exp(-25.0) + 1e-12), 1e-3);
  EXPECT_NEAR(boost(60), -std::log(1e-12), 1e-3);
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
    const auto boosted = -q.gather(1, y).log() - (1 - q.scatter(1, y, 0.0).amax(1, true) + 1e-12).log();
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
  const auto batch = small_batch(4);
  auto net = small_net();
  SupervisedProblem problem(net, CrossEntropy());
  const auto majorant = Mart(MartOptions().eps(0.2), steps()).bind(problem);
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

TEST(Mart, StaysWithinBoundsAndRadiiPerFeature) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const Batch batch{normal({7, 6}).mul(0.5).add(0.5).clamp(0, 1), small_batch().targets};
  const auto scale = torch::tensor({1.0, 0.0, 2.0, 1.0, 0.5, 1.0}, torch::kDouble);
  const Mart objective(MartOptions().eps(0.2).eps_scale(scale).bounds(Bounds{0, 1}), steps(10));
  auto generator = make_generator(0, Stream::kObjective);
  const auto u = objective.bind(problem)->find(batch, generator).u;
  EXPECT_GE(u.min().item<double>(), 0);
  EXPECT_LE(u.max().item<double>(), 1);
  const auto most = (u - batch.inputs).abs().amax(0);
  EXPECT_TRUE((most <= 0.2 * scale + 1e-12).all().item<bool>()) << most;
  EXPECT_GT(most[2].item<double>(), 0.2);
}

TEST(Mart, ResumesBitForBit) {
  testing::expect_resume_changes_nothing(Mart(MartOptions().eps(0.1), steps(2, 0.03)), testing::short_run(),
                                         testing::linear_problem);
}

TEST(Mart, RunsOnTheEngineAsOnLibtorch) {
  const auto data = testing::toy_dataset(24);
  const auto batch = data->get(torch::arange(24, torch::kLong));
  const Mart objective(MartOptions().eps(0.1).bounds(Bounds{0, 1}), steps(3, 0.03));
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

TEST(Mart, RefusesWhatItCannotUse) {
  expect_error([] { Mart objective(MartOptions().beta(-1)); }, "mart: beta must be finite and not negative, got -1");
  expect_error([] { Mart objective(MartOptions().eps(-0.1)); }, "eps must be finite and not negative, got -0.1");
  SupervisedProblem regression(small_net(), SquaredError());
  expect_error([&] { Mart(MartOptions()).bind(regression); },
               "mart: margins and divergences of predictions need classes; this problem has none");
}

}  // namespace arks
