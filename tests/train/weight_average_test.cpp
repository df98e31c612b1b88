// Averaged weights: the right mean, in the right places, through interruptions.
#include "train/weight_average.h"
#include "train/runs.h"

namespace arks {

using namespace testing;

namespace {

/// 100 samples of 5 numbers and a float target that a line explains.
DatasetPtr regression_set(uint64_t seed = 1) {
  const auto inputs = normal({100, 5}, seed);
  DatasetInfo info;
  info.name = "line";
  return std::make_shared<TensorDataset>(inputs.to(torch::kFloat), (inputs.sum(1) + 1).to(torch::kFloat), info);
}

SupervisedProblem mlp_problem(uint64_t seed = 1) {
  return {make_model("mlp", regression_set()->info(), seed), SquaredError()};
}

/// Keeps a copy of the weights after every epoch.
TrainOptions collecting(const TrainOptions& options, Problem& problem, std::vector<NamedTensors>& collected) {
  return TrainOptions(options).on_epoch([&](const EpochMetrics&) { collected.push_back(copied(problem)); });
}

/// The mean of one tensor over some epochs, summed up plainly.
torch::Tensor mean_of(const std::vector<NamedTensors>& collected, size_t tensor, size_t from) {
  auto sum = torch::zeros_like(collected[0][tensor].second, torch::kDouble);
  for (size_t epoch = from; epoch < collected.size(); ++epoch) sum += collected[epoch][tensor].second;
  return sum / static_cast<double>(collected.size() - from);
}

}  // namespace

TEST(WeightAverage, IsTheRunningMeanOfTheWeightsAfterEachEpoch) {
  const TemporaryFolder folder;
  auto problem = mlp_problem();
  std::vector<NamedTensors> collected;
  const auto options = short_run(9).average_from(4).folder(folder.path());
  train(problem, regression_set(), Erm(), collecting(options, problem, collected));
  ASSERT_EQ(collected.size(), 9U);
  const auto result = copied(problem);
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  EXPECT_EQ(checkpoint.averaged_epochs, 6);
  for (size_t i = 0; i < result.size(); ++i) {
    const auto expected = mean_of(collected, i, /*from=*/3);
    EXPECT_LT(max_difference(checkpoint.average[i].second, expected), 1e-14);
    EXPECT_TRUE(identical(result[i].second, checkpoint.average[i].second.to(torch::kFloat)));
    EXPECT_TRUE(identical(checkpoint.weights[i].second, collected.back()[i].second)) << "the raw ones, to go on with";
    EXPECT_FALSE(identical(result[i].second, collected.back()[i].second));
  }
}

TEST(WeightAverage, DoesNotChangeTheTrainingItself) {
  auto plain = mlp_problem(), averaged = mlp_problem();
  std::vector<NamedTensors> with, without;
  train(plain, regression_set(), Erm(), collecting(short_run(5), plain, without));
  train(averaged, regression_set(), Erm(), collecting(short_run(5).average_from(1), averaged, with));
  for (size_t epoch = 0; epoch < 5; ++epoch) EXPECT_TRUE(same_bits(with[epoch], without[epoch])) << epoch;
}

TEST(WeightAverage, IsWhatTheTestFiguresAreOf) {
  auto problem = mlp_problem(), plain = mlp_problem();
  const auto options = short_run(6).test_set(regression_set(2));
  const auto summary = train(problem, regression_set(), Erm(), TrainOptions(options).average_from(4));
  const auto without = train(plain, regression_set(), Erm(), options);
  for (size_t epoch = 0; epoch < 4; ++epoch) {  // the mean of one epoch is itself
    EXPECT_EQ(*summary.epochs[epoch].test_loss, *without.epochs[epoch].test_loss);
  }
  EXPECT_NE(*summary.epochs[4].test_loss, *without.epochs[4].test_loss);
  EXPECT_EQ(*summary.epochs[5].test_loss, measure(problem, *regression_set(2)).loss);
  EXPECT_EQ(*without.epochs[5].test_loss, measure(plain, *regression_set(2)).loss);
}

TEST(WeightAverage, ResumesBitForBit) {
  const auto objective = Arks(GaussianKernel(0.5), AscentOptions().steps(2));
  const auto options = short_run(5).average_from(2).test_set(regression_set(2));
  auto whole = mlp_problem();
  const auto expected = train(whole, regression_set(), objective, options);
  for (const int64_t batches : {3, 4, 6, 8, 13, 19}) {
    const TemporaryFolder folder;
    auto first = mlp_problem();
    train(first, regression_set(), objective,
          TrainOptions(options).folder(folder.path()).stop_requested(stop_after(batches)));
    const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
    EXPECT_TRUE(same_bits(copied(first), checkpoint.weights)) << "stopped, the problem has the raw weights";
    auto second = mlp_problem(99);
    Trainer trainer(second, regression_set(), objective, TrainOptions(options).folder(folder.path()));
    trainer.resume(checkpoint, "checkpoint");
    expect_same_metrics(trainer.run(), expected);
    EXPECT_TRUE(same_bits(copied(second), copied(whole))) << "stopped after " << batches << " batches";
  }
}

TEST(WeightAverage, GoesOnWhenMoreEpochsAreAskedFor) {
  const TemporaryFolder folder;
  auto longer = mlp_problem(), shorter = mlp_problem();
  train(longer, regression_set(), Erm(), short_run(6).average_from(2));
  train(shorter, regression_set(), Erm(), short_run(3).average_from(2).folder(folder.path()));
  Trainer trainer(shorter, regression_set(), Erm(), short_run(6).average_from(2));
  trainer.resume(read_checkpoint(folder / run_files::kCheckpoint), "checkpoint");
  trainer.run();
  EXPECT_TRUE(same_bits(copied(longer), copied(shorter)));
}

TEST(WeightAverage, RefusesModelsWithBuffers) {
  torch::nn::Sequential net(torch::nn::Flatten(), torch::nn::BatchNorm1d(36), torch::nn::Linear(36, 4));
  SupervisedProblem problem(net, CrossEntropy());
  expect_error([&] { train(problem, small_set(), Erm(), short_run().average_from(1)); },
               "weight averaging: 1.running_mean is state that is not trained");
}

TEST(WeightAverage, PutsTheWeightsBackWhenMeasuringFails) {
  auto problem = linear_problem();
  const auto before = copied(problem);
  WeightAverage average;
  average.add(problem);
  {
    torch::NoGradGuard no_grad;
    for (auto& parameter : problem.parameters()) parameter.add_(1);
  }
  average.add(problem);
  const auto own = copied(problem);
  try {
    const AveragedWeightsGuard guard(problem, average);
    EXPECT_LT(max_difference(copied(problem)[0].second, before[0].second + 0.5), 1e-6);
    throw RunError("in between");
  } catch (const RunError&) {
  }
  EXPECT_TRUE(same_bits(copied(problem), own));
}

TEST(Trainer, ReportsARegressionByItsLoss) {
  auto problem = mlp_problem();
  const auto summary =
      train(problem, regression_set(), Erm(), short_run(20).test_set(regression_set(2)).batch_size(100));
  EXPECT_FALSE(summary.epochs.back().train_error);
  EXPECT_LT(summary.epochs.back().train_loss, 0.7 * summary.epochs.front().train_loss);
  EXPECT_NE(summary.brief_report().find(": test loss "), std::string::npos) << summary.brief_report();
  EXPECT_EQ(summary.brief_report().find("error"), std::string::npos);
}

}  // namespace arks
