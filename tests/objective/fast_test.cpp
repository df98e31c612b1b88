#include <arks/objective/fast.h>

#include <cmath>

#include "objective/watched.h"
#include "train/runs.h"

namespace arks {

using testing::copied;
using testing::epoch_of;
using testing::evaluated;
using testing::expect_error;
using testing::found_points;
using testing::max_difference;
using testing::normal;
using testing::same_bits;
using testing::small_batch;
using testing::small_net;

namespace {

/// What the watch says of an epoch with this w on the line when the best accuracy so far was another.
EpochVerdict verdict_after(const Objective& objective, double best, double w) {
  testing::Line toy;
  toy.set(w);
  const auto majorant = objective.bind(toy.problem);
  majorant->load_state({{"fast.accuracy", torch::tensor(best, torch::kDouble)}});
  auto generator = make_generator(0, Stream::kObjective);
  return majorant->after_epoch(epoch_of(toy.batch), generator);
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
  testing::expect_watches(FastTraining(FastOptions().eps(0.5)));
}

TEST(FastTraining, MeasuresFallsFromTheBestAccuracySoFar) {
  // a slide of which no single epoch is a fall of 20 points: 45, 28, 12 of 100 samples withstand
  const auto w = torch::ones({1}, torch::kDouble).set_requires_grad(true);
  auto problem = testing::line(w);
  const auto majorant = FastTraining(FastOptions().eps(0.5)).bind(problem);
  auto generator = make_generator(0, Stream::kObjective);
  const auto with = [](int64_t right) {
    const auto inputs = torch::where(torch::arange(100) < right, 1.0, -1.0).to(torch::kDouble).unsqueeze(1);
    return testing::epoch_of({inputs, torch::zeros({100}, torch::kLong)});
  };
  EXPECT_EQ(majorant->after_epoch(with(45), generator).taken_back, "");
  EXPECT_EQ(majorant->after_epoch(with(28), generator).taken_back, "");
  EXPECT_NEAR(majorant->state()[0].second.item<double>(), 0.45, 1e-15);
  const auto verdict = majorant->after_epoch(with(12), generator);
  EXPECT_NE(verdict.taken_back.find("fell from 45.00 % to 12.00 %"), std::string::npos) << verdict.taken_back;
}

TEST(FastTraining, TakesTheLossOfMoreThanHalfForAFallAboveTenPerCent) {
  const FastTraining objective(FastOptions().eps(0.5)), strict(FastOptions().eps(0.5).watch_drop(0.05));
  EXPECT_NE(verdict_after(objective, 0.18, -1).taken_back, "") << "from 18 % to 0";
  EXPECT_EQ(verdict_after(objective, 0.09, -1).taken_back, "") << "9 % is near chance";
  EXPECT_NE(verdict_after(strict, 0.09, -1).taken_back, "") << "a smaller drop is taken as it is";
  EXPECT_EQ(verdict_after(objective, 0.8, 1).taken_back, "") << "67 % of 80";
  EXPECT_NE(verdict_after(objective, 0.9, 1).taken_back, "") << "67 % of 90";
}

TEST(FastTraining, WatchesAtLeast512SamplesOrAll) {
  testing::Line toy;
  const Batch batch{toy.batch.inputs.repeat({10, 1}), toy.batch.targets.repeat({10})};  // 60 samples
  auto generator = make_generator(0, Stream::kObjective);
  const auto looked_at = [&](int64_t watched, int64_t batches) {
    int64_t count = 0;
    const auto look = [&](int64_t i) {
      EXPECT_EQ(i, count++);
      return batch;
    };
    const auto majorant = FastTraining(FastOptions().eps(0.5).watch_batches(watched)).bind(toy.problem);
    majorant->after_epoch({batches, look}, generator);
    return count;
  };
  EXPECT_EQ(looked_at(1, 20), 9);
  EXPECT_EQ(looked_at(12, 20), 12);
  EXPECT_EQ(looked_at(1, 3), 3);
  EXPECT_EQ(looked_at(12, 3), 3);
}

TEST(FastTraining, WatchesWithPgdAndNotWithItsOwnStep) {
  // z = (1 − w + w·cos 2πu, 0), all samples at 0 in class 0: a step of two radii ends at ±1, where they are right
  // again, and small ones meet |u| near ½
  const auto w = torch::zeros({1}, torch::kDouble).set_requires_grad(true);
  SupervisedProblem problem({[w](const torch::Tensor& u) {
                               const auto z = (1 - w + w * (2 * M_PI * u).cos()).squeeze(1);
                               return torch::stack({z, torch::zeros_like(z)}, 1);
                             },
                             {w}},
                            CrossEntropy());
  const Batch batch{torch::zeros({64, 1}, torch::kDouble), torch::zeros({64}, torch::kLong)};
  for (const int64_t steps : {10, 3}) {
    const FastTraining objective(FastOptions().eps(1).step(2).watch_steps(steps));
    const auto majorant = objective.bind(problem);
    auto generator = make_generator(0, Stream::kObjective);
    const auto set = [&](double value) {
      torch::NoGradGuard no_grad;
      w.fill_(value);
    };
    set(0);
    EXPECT_EQ(majorant->after_epoch(epoch_of(batch), generator).accuracy, 1.0);
    set(1);
    const auto u = found_points(objective, problem, batch);
    EXPECT_FALSE(problem.evaluate(u, batch.targets).wrong.any().item<bool>()) << "one step looks safe";
    const auto verdict = majorant->after_epoch(epoch_of(batch), generator);
    if (steps == 10) EXPECT_EQ(verdict.accuracy, 0.0);
    EXPECT_NE(verdict.taken_back, "") << steps;
  }
}

TEST(FastTraining, WatchesWithStepsThatCrossTheBallAlsoWhenTheyAreFew) {
  // z = (0.9 + u, 0) on samples at 0, eps 1: wrong only below −0.9, which two steps of eps/4 reach from few starts
  const auto w = torch::ones({1}, torch::kDouble).set_requires_grad(true);
  SupervisedProblem problem({[w](const torch::Tensor& u) {
                               const auto z = 0.9 + u.matmul(w);
                               return torch::stack({z, torch::zeros_like(z)}, 1);
                             },
                             {w}},
                            CrossEntropy());
  const Batch batch{torch::zeros({64, 1}, torch::kDouble), torch::zeros({64}, torch::kLong)};
  auto generator = make_generator(0, Stream::kObjective);
  for (const int64_t steps : {2, 5, 10}) {
    const auto majorant = FastTraining(FastOptions().eps(1).watch_steps(steps)).bind(problem);
    EXPECT_EQ(majorant->after_epoch(epoch_of(batch), generator).accuracy, 0.0) << steps;
  }
}

TEST(FastTraining, ReportsTheAccuracyThatItWatches) {
  const testing::TemporaryFolder folder;
  auto problem = testing::linear_problem();
  const auto summary = train(problem, testing::small_set(), FastTraining(FastOptions().eps(0.05)),
                             testing::short_run().folder(folder.path()));
  double best = 0;
  for (const auto& metrics : summary.epochs) {
    ASSERT_TRUE(metrics.watched_accuracy.has_value()) << metrics.epoch;
    best = std::max(best, *metrics.watched_accuracy);
  }
  EXPECT_EQ(read_checkpoint(folder / run_files::kCheckpoint).method.at(0).second.item<double>(), best);
  testing::expect_lines(folder.path(), summary);
  auto unwatched = testing::linear_problem();
  const auto plain = train(unwatched, testing::small_set(), FastTraining(FastOptions().eps(0.05).watch_batches(0)),
                           testing::short_run(1));
  EXPECT_FALSE(plain.epochs.at(0).watched_accuracy.has_value());
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
  EXPECT_EQ(summary.ended.find("epoch 2 was undone and training ended: catastrophic overfitting, the accuracy "
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
  expect_error([] { FastTraining objective(FastOptions().eps(-0.1)); },
               "eps must be finite and not negative, got -0.1");
  expect_error([] { FastTraining objective(FastOptions().step(-1)); },
               "fast: step must be positive and finite, got -1");
  expect_error([] { FastTraining objective(FastOptions().watch_batches(-1)); },
               "fast: watch_batches must not be negative, got -1");
  expect_error([] { FastTraining objective(FastOptions().watch_steps(0)); },
               "fast: watch_steps must be positive, got 0");
  expect_error([] { FastTraining objective(FastOptions().watch_drop(0)); },
               "fast: watch_drop must be above 0 and at most 1, got 0");
  SupervisedProblem regression(small_net(), SquaredError());
  expect_error(
      [&] { FastTraining().bind(regression); },
      "fast: the watch counts errors and this problem has no classes; set watch_batches to 0 to train without it");
  SupervisedProblem problem(small_net(), CrossEntropy());
  expect_error(
      [&] {
        FastTraining().bind(problem)->load_state({{"free.delta", torch::zeros({2})}});
      },
      "the checkpoint holds the state of another method (free)");
}

}  // namespace arks
