#include <arks/objective/fast.h>

#include "objective/samples.h"
#include "train/runs.h"

namespace arks {

using testing::copied;
using testing::evaluated;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;
using testing::same_bits;
using testing::small_batch;
using testing::small_net;

namespace {

torch::Tensor found_points(const Objective& objective, Problem& problem, const Batch& batch, uint64_t seed = 0) {
  auto generator = make_generator(seed, Stream::kObjective);
  return objective.bind(problem)->find(batch, generator).u;
}

/// An epoch of one batch.
TrainedEpoch epoch_of(const Batch& batch, int64_t number) {
  return {number, 1, [batch](int64_t) { return batch; }};
}

/// z = (w·u, 0): class 0 right of the origin, class 1 left of it.
SupervisedProblem line(const torch::Tensor& w) {
  return {{[w](const torch::Tensor& u) {
             const auto z = u.matmul(w);
             return torch::stack({z, torch::zeros_like(z)}, 1);
           },
           {w}},
          CrossEntropy()};
}

}  // namespace

TEST(FastTraining, OfALinearLossEndsWhereTheStepFromItsStartLeads) {
  const auto theta = normal({4}, 2).set_requires_grad(true);
  auto problem = testing::linear_loss(theta);
  const Batch batch{normal({5, 4}), torch::zeros({5})};
  const double eps = 0.3;
  for (const double step : {0.5, 1.25, 2.0}) {
    const auto options = FastOptions().eps(eps).step(step).watch_batches(0);
    const auto u = found_points(FastTraining(options), problem, batch, 3);
    auto generator = make_generator(3, Stream::kObjective);
    const auto start = LinfBall(eps).random_point(batch.inputs, generator);
    const auto expected = (start + step * eps * theta.detach().sign()).clamp(batch.inputs - eps, batch.inputs + eps);
    EXPECT_LT(max_difference(u, expected), 1e-15) << step;
  }
  // two radii reach the far side from anywhere: then it is the worst case of the linear loss
  const auto found = evaluated(FastTraining(FastOptions().eps(eps).step(2).watch_batches(0)), problem, batch);
  const double clean = (batch.inputs.matmul(theta.detach()) + 3).mean().item<double>();
  EXPECT_NEAR(found.value, clean + eps * theta.norm(1).item<double>(), 1e-13);
  EXPECT_LT(max_difference(found.gradients[0], batch.inputs.mean(0) + eps * theta.detach().sign()), 1e-14);
}

TEST(FastTraining, SumsAreWhatADirectEvaluationGives) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  const FastTraining objective(FastOptions().eps(0.2));
  const auto sums = evaluated(objective, problem, batch).sums;
  const auto u = found_points(objective, problem, batch);
  const auto clean = problem.evaluate(batch.inputs, batch.targets);
  const double moved = problem.per_sample_loss(u, batch.targets).sum().item<double>();
  EXPECT_NEAR(sums.loss, clean.loss.sum().item<double>(), 1e-13);
  EXPECT_EQ(sums.wrong, clean.wrong.sum().item<double>());
  EXPECT_NEAR(*sums.adversarial_loss, moved, 1e-13);
  EXPECT_NEAR(sums.surrogate, moved, 1e-13);
}

TEST(FastTraining, StaysWithinBoundsAndRadiiPerFeature) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const Batch batch{normal({7, 6}).mul(0.5).add(0.5).clamp(0, 1), small_batch().targets};
  const auto scale = torch::tensor({1.0, 0.0, 2.0, 1.0, 0.5, 1.0}, torch::kDouble);
  const auto u =
      found_points(FastTraining(FastOptions().eps(0.2).eps_scale(scale).bounds(Bounds{0, 1})), problem, batch);
  EXPECT_GE(u.min().item<double>(), 0);
  EXPECT_LE(u.max().item<double>(), 1);
  const auto most = (u - batch.inputs).abs().amax(0);
  EXPECT_TRUE((most <= 0.2 * scale + 1e-12).all().item<bool>()) << most;
  EXPECT_GT(most[2].item<double>(), 0.2);
}

TEST(FastTraining, EndsWhenTheAccuracyUnderAttackFalls) {
  // one feature, classes on both sides of the origin, eps 0.5: 4 of 6 withstand a good classifier
  const auto w = torch::ones({1}, torch::kDouble).set_requires_grad(true);
  auto problem = line(w);
  const Batch batch{torch::tensor({{1.0}, {2.0}, {0.4}, {-1.0}, {-2.0}, {-0.4}}, torch::kDouble),
                    torch::tensor({0, 0, 0, 1, 1, 1})};
  const auto set = [&](double value) {
    torch::NoGradGuard no_grad;
    w.fill_(value);
  };
  const auto majorant = FastTraining(FastOptions().eps(0.5)).bind(problem);
  auto generator = make_generator(0, Stream::kObjective);
  ASSERT_TRUE(majorant->watches());
  EXPECT_TRUE(majorant->state().empty());
  EXPECT_FALSE(majorant->after_epoch(epoch_of(batch, 1), generator));
  ASSERT_EQ(majorant->state().size(), 1U);
  EXPECT_NEAR(majorant->state()[0].second.item<double>(), 4.0 / 6, 1e-15);
  set(2);  // as good as before
  EXPECT_FALSE(majorant->after_epoch(epoch_of(batch, 2), generator));
  set(-1);  // all wrong
  const auto why = majorant->after_epoch(epoch_of(batch, 3), generator);
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(*why, "catastrophic overfitting, the accuracy under PGD with 10 steps fell from 66.67 % to 0.00 %");
  EXPECT_NEAR(majorant->state()[0].second.item<double>(), 4.0 / 6, 1e-15) << "that of the epoch before stays";

  // a fall of 67 points is within what this one allows
  const auto patient = FastTraining(FastOptions().eps(0.5).watch_drop(0.7)).bind(problem);
  patient->load_state(majorant->state());
  EXPECT_FALSE(patient->after_epoch(epoch_of(batch, 3), generator));
  // and without an epoch before there is nothing to fall from
  const auto fresh = FastTraining(FastOptions().eps(0.5)).bind(problem);
  EXPECT_FALSE(fresh->after_epoch(epoch_of(batch, 1), generator));
}

TEST(FastTraining, IsTakenBackByTheTrainer) {
  const testing::TemporaryFolder folder;
  auto problem = testing::linear_problem(), once = testing::linear_problem();
  const FastTraining objective(FastOptions().eps(0.1).watch_batches(3));
  train(once, testing::small_set(), objective, testing::short_run(1).folder(folder.path()));
  auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  ASSERT_EQ(checkpoint.method.size(), 1U);
  ASSERT_LT(checkpoint.method[0].second.item<double>(), 0.7);
  checkpoint.method[0].second.fill_(1);  // as if it had been perfect, so that the next epoch falls short
  Trainer trainer(problem, testing::small_set(), objective, testing::short_run(5));
  trainer.resume(checkpoint, "runs/a");
  const auto summary = trainer.run();
  EXPECT_EQ(summary.termination, TrainTermination::kTakenBack);
  EXPECT_EQ(summary.ended.find("epoch 2 was taken back and the training ended: catastrophic overfitting, the accuracy "
                               "under PGD with 10 steps fell from 100.00 % to "),
            0U)
      << summary.ended;
  EXPECT_TRUE(same_bits(copied(problem), copied(once)));
}

TEST(FastTraining, TrainsTheSameWithTheWatchAndWithout) {
  const auto trained = [](int64_t watched) {
    auto problem = testing::linear_problem();
    train(problem, testing::small_set(), FastTraining(FastOptions().eps(0.05).watch_batches(watched).watch_drop(1)),
          testing::short_run());
    return copied(problem);
  };
  EXPECT_TRUE(same_bits(trained(0), trained(2)));
}

TEST(FastTraining, ResumesBitForBit) {
  testing::expect_resume_changes_nothing(FastTraining(FastOptions().eps(0.05)), testing::short_run(),
                                         testing::linear_problem);
}

TEST(FastTraining, RunsOnTheEngineAsOnLibtorch) {
  testing::expect_engine_as_libtorch(FastTraining(FastOptions().eps(0.05).bounds(Bounds{0, 1})));
}

TEST(FastTraining, RefusesWhatItCannotUse) {
  expect_error([] { FastTraining objective(FastOptions().eps(0)); }, "fast: eps must be positive and finite, got 0");
  expect_error([] { FastTraining objective(FastOptions().step(-1)); },
               "fast: the step must be positive and finite, got -1");
  expect_error([] { FastTraining objective(FastOptions().watch_batches(-1)); },
               "fast: the batches that are watched must not be negative, got -1");
  expect_error([] { FastTraining objective(FastOptions().watch_steps(0)); },
               "fast: the steps of the watch must be positive, got 0");
  expect_error([] { FastTraining objective(FastOptions().watch_drop(0)); },
               "fast: the fall in accuracy that ends the training must be in (0, 1], got 0");
  SupervisedProblem regression(small_net(), SquaredError());
  expect_error([&] { FastTraining().bind(regression); },
               "fast: the watch counts errors and this problem has no classes; watch no batches to train without it");
  SupervisedProblem problem(small_net(), CrossEntropy());
  expect_error(
      [&] {
        FastTraining().bind(problem)->load_state({{"free.delta", torch::zeros({2})}});
      },
      "the state of the method is another method's: it holds free.delta");
}

}  // namespace arks
