#include "objective/samples.h"

namespace arks {

using testing::evaluated;
using testing::expect_error;
using testing::max_difference;
using testing::normal;
using testing::small_batch;
using testing::small_net;

TEST(PgdTraining, OfALinearLossHasAClosedForm) {
  const auto theta = normal({4}, 2).set_requires_grad(true);
  auto problem = testing::linear_loss(theta);
  const auto a = theta.detach();
  const Batch batch{normal({5, 4}), torch::zeros({5})};
  const double clean = (batch.inputs.matmul(a) + 3).mean().item<double>();
  const auto ascent = AscentOptions().steps(10).learning_rate(0.05);
  const auto linf = evaluated(PgdTraining(PgdTrainingOptions().eps(0.3), ascent), problem, batch);
  EXPECT_NEAR(linf.value, clean + 0.3 * a.norm(1).item<double>(), 1e-13);
  EXPECT_LT(max_difference(linf.gradients[0], batch.inputs.mean(0) + 0.3 * a.sign()), 1e-14);
  const auto l2 = evaluated(PgdTraining(PgdTrainingOptions().eps(0.3).norm(Norm::kL2), ascent), problem, batch);
  EXPECT_NEAR(l2.value, clean + 0.3 * a.norm().item<double>(), 1e-13);
  EXPECT_LT(max_difference(l2.gradients[0], batch.inputs.mean(0) + 0.3 * a / a.norm()), 1e-14);
}

TEST(PgdTraining, ReachesAsFarAsItsStepsWhenTheBallIsLarger) {
  // as published: 15 steps of 0.001 in a ball of 0.3
  const auto theta = normal({4}, 2).set_requires_grad(true);
  auto problem = testing::linear_loss(theta);
  const Batch batch{normal({5, 4}), torch::zeros({5})};
  const auto found = evaluated(PgdTraining(PgdTrainingOptions(), AscentOptions().learning_rate(0.001)), problem, batch);
  EXPECT_NEAR(found.sums.surrogate - found.sums.loss, 5 * 0.015 * theta.norm(1).item<double>(), 1e-12);
}

TEST(PgdTraining, StaysWithinTheBounds) {
  const auto theta = torch::tensor({1.0, -1.0}, torch::kDouble).set_requires_grad(true);
  auto problem = testing::linear_loss(theta);
  const Batch batch{torch::tensor({{0.9, 0.5}, {0.2, 0.1}}, torch::kDouble), torch::zeros({2})};
  const auto options = PgdTrainingOptions().eps(0.3).bounds(Bounds{0, 1});
  const auto found = evaluated(PgdTraining(options, AscentOptions().steps(10).learning_rate(0.05)), problem, batch);
  // the first sample can go to (1.0, 0.2), the second to (0.5, 0.0)
  EXPECT_NEAR(*found.sums.adversarial_loss, (1.0 - 0.2 + 3) + (0.5 - 0.0 + 3), 1e-13);
}

TEST(PgdTraining, SumsAreWhatADirectEvaluationGives) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  const auto ascent = AscentOptions().rule(AscentRule::kSign).learning_rate(0.05);
  const auto sums = evaluated(PgdTraining(PgdTrainingOptions().eps(0.2), ascent), problem, batch).sums;
  const auto u = testing::maximized(problem, std::make_shared<LossAlone>(), nullptr, ascent,
                                    std::make_shared<LinfBall>(0.2), batch)
                     .u;
  const auto clean = problem.evaluate(batch.inputs, batch.targets);
  const auto moved = problem.per_sample_loss(u, batch.targets).sum().item<double>();
  EXPECT_NEAR(sums.loss, clean.loss.sum().item<double>(), 1e-13);
  EXPECT_EQ(sums.wrong, clean.wrong.sum().item<double>());
  EXPECT_NEAR(*sums.adversarial_loss, moved, 1e-13);
  EXPECT_NEAR(sums.surrogate, moved, 1e-13);
  EXPECT_GE(sums.surrogate, sums.loss);
  EXPECT_FALSE(sums.kernel || sums.cost);
}

TEST(PgdTraining, DrawsItsStartFromTheGeneratorItIsHanded) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    const PgdTraining objective(PgdTrainingOptions().eps(0.5).norm(norm).random_start(true),
                                AscentOptions().steps(2).learning_rate(0.01));
    torch::manual_seed(1);
    const double one = evaluated(objective, problem, batch, 5).value;
    torch::manual_seed(2);
    EXPECT_EQ(evaluated(objective, problem, batch, 5).value, one);
    EXPECT_NE(evaluated(objective, problem, batch, 6).value, one);
  }
}

TEST(PgdTraining, ReportsTheCleanLossAlsoFromARandomStart) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  const auto clean = problem.evaluate(batch.inputs, batch.targets);
  const PgdTraining objective(PgdTrainingOptions().eps(0.5).random_start(true), AscentOptions().steps(2));
  const auto sums = evaluated(objective, problem, batch).sums;
  EXPECT_NEAR(sums.loss, clean.loss.sum().item<double>(), 1e-13);
  EXPECT_EQ(sums.wrong, clean.wrong.sum().item<double>());
}

TEST(PgdTraining, DrawsNothingWhenItStartsAtTheSample) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  auto generator = make_generator(3, Stream::kObjective);
  const auto state = generator.get_state();
  (*PgdTraining(PgdTrainingOptions()).bind(problem))(small_batch(), generator);
  EXPECT_TRUE(torch::equal(generator.get_state(), state));
}

TEST(PgdTraining, RefusesWhatCannotBeABall) {
  expect_error([] { PgdTraining objective(PgdTrainingOptions().eps(-0.1)); },
               "eps must be finite and not negative, got -0.1");
  expect_error([] { PgdTraining objective(PgdTrainingOptions().bounds(Bounds{1, 0})); }, "need low < high, got 1,0");
  expect_error([] { PgdTraining objective(PgdTrainingOptions(), AscentOptions().learning_rate(-1)); },
               "inner learning rate must be positive and finite, got -1");
}

TEST(PgdTraining, WithARadiusPerFeatureHasAClosedForm) {
  const auto theta = normal({4}, 2).set_requires_grad(true);
  auto problem = testing::linear_loss(theta);
  const auto a = theta.detach();
  const Batch batch{normal({5, 4}), torch::zeros({5})};
  const double clean = (batch.inputs.matmul(a) + 3).mean().item<double>();
  const auto scale = torch::tensor({1.0, 0.0, 4.0, 0.5}, torch::kDouble);
  for (const bool random : {false, true}) {
    const auto options = PgdTrainingOptions().eps(0.3).eps_scale(scale).random_start(random);
    const PgdTraining objective(options, AscentOptions().steps(20).learning_rate(0.05));
    const auto found = evaluated(objective, problem, batch);
    EXPECT_NEAR(found.value, clean + (0.3 * scale * a.abs()).sum().item<double>(), 1e-13);
    EXPECT_LT(max_difference(found.gradients[0], batch.inputs.mean(0) + 0.3 * scale * a.sign()), 1e-14);
  }
  expect_error([&] { PgdTraining objective(PgdTrainingOptions().norm(Norm::kL2).eps_scale(scale)); },
               "a radius per feature needs norm linf, not l2");
}

}  // namespace arks
