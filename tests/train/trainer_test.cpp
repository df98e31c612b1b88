// What a run does: it learns, repeats itself, and says what it did.
#include "train/runs.h"

#include <cmath>

namespace arks {

using namespace testing;

namespace {

std::vector<std::shared_ptr<Objective>> methods() {
  const auto inner = AscentOptions().steps(3).learning_rate(0.02);
  return {std::make_shared<Erm>(), std::make_shared<Arks>(GaussianKernel(0.5), inner),
          std::make_shared<Wrm>(1.0, inner), std::make_shared<PgdTraining>(PgdTrainingOptions().eps(0.05), inner)};
}

}  // namespace

TEST(Trainer, LowersTheLossWithEveryMethod) {
  for (const auto& objective : methods()) {
    auto problem = linear_problem();
    const auto summary = train(problem, small_set(), *objective, short_run(8).test_set(small_set(2)));
    ASSERT_EQ(summary.epochs.size(), 8u);
    EXPECT_EQ(summary.termination, TrainTermination::kCompleted);
    EXPECT_EQ(summary.method, objective->name());
    EXPECT_LT(summary.epochs.back().surrogate, 0.7 * summary.epochs.front().surrogate) << objective->name();
    EXPECT_LT(summary.epochs.back().train_loss, 0.7 * summary.epochs.front().train_loss) << objective->name();
    EXPECT_LT(*summary.epochs.back().test_error, 0.1) << objective->name();
  }
}

TEST(Trainer, TrainsTheFashionCnn) {
  const auto data = toy_dataset(96);
  SupervisedProblem problem(make_model("fashion-cnn", data->info(), 1), CrossEntropy());
  const Arks objective(GaussianKernel(0.5), AscentOptions().steps(2).learning_rate(0.003));
  const auto options = TrainOptions().epochs(10).batch_size(32).optimizer(OptimizerOptions().learning_rate(3e-3));
  const auto summary = train(problem, data, objective, options);
  EXPECT_LT(summary.epochs.back().surrogate, 0.7 * summary.epochs.front().surrogate) << summary.full_report();
  EXPECT_LT(summary.epochs.back().train_loss, 0.7 * summary.epochs.front().train_loss);
  EXPECT_GT(summary.epochs.back().surrogate, summary.epochs.back().train_loss);
}

TEST(Trainer, IsTheSameBitForBitFromTheSameSeed) {
  for (const auto& objective : methods()) {
    auto one = linear_problem(), two = linear_problem(), other = linear_problem();
    torch::manual_seed(1);
    const auto summary = train(one, small_set(), *objective, short_run(2).seed(7));
    torch::manual_seed(2);
    expect_same_metrics(train(two, small_set(), *objective, short_run(2).seed(7)), summary);
    EXPECT_TRUE(same_bits(copied(one), copied(two))) << objective->name();
    train(other, small_set(), *objective, short_run(2).seed(8));
    EXPECT_FALSE(same_bits(copied(one), copied(other))) << objective->name();
  }
}

TEST(Trainer, DrawsTheMethodsRandomNumbersFromTheSeed) {
  // one batch an epoch: the order of the samples changes the sums in their last digits alone
  const auto run = [](uint64_t seed) {
    auto problem = linear_problem();
    return train(problem, small_set(), random_method(), short_run(1).batch_size(100).seed(seed)).epochs[0];
  };
  EXPECT_EQ(timeless(run(3)), timeless(run(3)));
  EXPECT_GT(std::abs(run(3).surrogate - run(4).surrogate), 1e-5);
  EXPECT_NEAR(run(3).train_loss, run(4).train_loss, 1e-5);
}

TEST(Trainer, KeepsTheConfigurationWordForWord) {
  const TemporaryFolder folder;
  auto problem = linear_problem();
  train(problem, small_set(), Erm(), short_run(1).folder(folder.path()).config("a = 1  # ünïcode\n"));
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  EXPECT_EQ(checkpoint.config, "a = 1  # ünïcode\n");
  EXPECT_EQ(checkpoint.architecture, "linear");
}

TEST(Trainer, UsesEverySampleOnceInEveryEpoch) {
  // 100 samples in batches of 32: the last batch of 4 counts
  std::vector<double> seen;
  const auto w = torch::zeros({1}).set_requires_grad(true);
  FunctionProblem problem(
      [&](const torch::Tensor& u, const torch::Tensor&) {
        const auto sums = u.flatten(1).sum(1);
        const bool trains = torch::GradMode::is_enabled();  // the last weights are measured once more
        for (int64_t i = 0; trains && i < sums.size(0); ++i) seen.push_back(sums[i].item<double>());
        return sums * w;
      },
      {w});
  train(problem, small_set(), Erm(), short_run(2));
  ASSERT_EQ(seen.size(), 200u);
  const std::vector<double> first(seen.begin(), seen.begin() + 100), second(seen.begin() + 100, seen.end());
  EXPECT_NE(first, second) << "every epoch has its own order";
  auto one = first, two = second;
  std::sort(one.begin(), one.end());
  std::sort(two.begin(), two.end());
  std::vector<double> all;
  const auto sums = small_set()->get(torch::arange(100, torch::kLong)).inputs.flatten(1).sum(1);
  for (int64_t i = 0; i < 100; ++i) all.push_back(sums[i].item<double>());
  std::sort(all.begin(), all.end());
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(one[i], all[i], 1e-5);
    EXPECT_NEAR(two[i], all[i], 1e-5);
  }
}

TEST(Trainer, ReportsMeansOverTheSamplesOfTheEpoch) {
  // a rate too small to move anything: the metrics are then those of the initial weights on the whole set
  auto problem = linear_problem();
  const auto options = short_run(1).optimizer(OptimizerOptions().kind(OptimizerKind::kSgd).learning_rate(1e-12));
  const auto found = train(problem, small_set(), Erm(), TrainOptions(options).test_set(small_set(2))).epochs[0];
  const auto train_measured = measure(problem, *small_set()), test_measured = measure(problem, *small_set(2));
  EXPECT_NEAR(found.train_loss, train_measured.loss, 1e-6);
  EXPECT_EQ(found.train_error, train_measured.error());
  EXPECT_NEAR(*found.test_loss, test_measured.loss, 1e-6);
  EXPECT_EQ(found.test_error, test_measured.error());
  EXPECT_EQ(found.surrogate, found.train_loss);
  EXPECT_FALSE(found.adversarial_loss || found.mean_kernel || found.mean_cost || found.mmd);
  EXPECT_GT(found.images_per_second, 0);
  const auto robust = train(problem, small_set(), Arks(GaussianKernel(0.5)), options).epochs[0];
  EXPECT_GE(robust.surrogate, robust.train_loss);
  EXPECT_GE(*robust.adversarial_loss, robust.surrogate);
  EXPECT_GT(*robust.mean_kernel, 0);
  EXPECT_LT(*robust.mean_kernel, 1);
  EXPECT_GT(*robust.mean_cost, 0);
  EXPECT_GT(*robust.mmd, 0);
  EXPECT_LT(*robust.mmd, 1);
}

TEST(Trainer, ChangesTheLearningRateAfterTheDecayEpochs) {
  auto problem = linear_problem();
  const auto optimizer = OptimizerOptions().learning_rate(0.01).decay_epochs({1, 2}).decay_factor(0.5);
  const auto summary = train(problem, small_set(), Erm(), short_run().optimizer(optimizer));
  EXPECT_EQ(summary.epochs[0].learning_rate, 0.01);
  EXPECT_EQ(summary.epochs[1].learning_rate, 0.005);
  EXPECT_EQ(summary.epochs[2].learning_rate, 0.0025);
  auto steady = linear_problem();
  train(steady, small_set(), Erm(), short_run().optimizer(OptimizerOptions().learning_rate(0.01)));
  EXPECT_FALSE(same_bits(copied(problem), copied(steady))) << "the rate must reach the optimiser";
}

TEST(Trainer, TellsAfterEveryBatchAndEveryEpoch) {
  auto problem = linear_problem();
  std::vector<BatchProgress> batches;
  std::vector<EpochMetrics> epochs;
  const auto summary = train(problem, small_set(), Erm(),
                             short_run(2)
                                 .on_batch([&](const BatchProgress& progress) { batches.push_back(progress); })
                                 .on_epoch([&](const EpochMetrics& metrics) { epochs.push_back(metrics); }));
  ASSERT_EQ(batches.size(), 8u);
  for (size_t i = 0; i < batches.size(); ++i) {
    EXPECT_EQ(batches[i].epoch, i < 4 ? 1 : 2);
    EXPECT_EQ(batches[i].epochs, 2);
    EXPECT_EQ(batches[i].batch, static_cast<int64_t>(i % 4) + 1);
    EXPECT_EQ(batches[i].batches, kBatches);
    EXPECT_GT(batches[i].value, 0);
  }
  ASSERT_EQ(epochs.size(), 2u);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(to_json(epochs[i]), to_json(summary.epochs[i]));
}

TEST(Trainer, TrainsInTrainingModeAndRestoresTheOneBefore) {
  torch::nn::Sequential net(torch::nn::Flatten(), torch::nn::BatchNorm1d(36), torch::nn::Linear(36, 4));
  SupervisedProblem problem(net, CrossEntropy());
  net->eval();
  train(problem, small_set(), Erm(), short_run(2));
  EXPECT_FALSE(net->is_training());
  EXPECT_EQ(net->named_buffers()["1.num_batches_tracked"].item<int64_t>(), 2 * kBatches);
}

TEST(Trainer, SaysInTheReportHowItEnded) {
  auto problem = linear_problem();
  const auto done = train(problem, small_set(), Erm(), short_run(2).test_set(small_set(2)));
  EXPECT_EQ(done.brief_report().find("erm: 2 epochs in "), 0u) << done.brief_report();
  EXPECT_NE(done.brief_report().find(": test error "), std::string::npos) << done.brief_report();
  EXPECT_NE(done.brief_report("rows").find("] on 100 rows\n"), std::string::npos) << "with its interval";
  EXPECT_NE(done.full_report().find("epoch 2: "), std::string::npos);
  const auto stopped = train(problem, small_set(), Erm(), short_run(2).stop_requested(stop_after(1)));
  EXPECT_EQ(stopped.brief_report(), "erm: no epoch finished (interrupted)\n");
}

}  // namespace arks
