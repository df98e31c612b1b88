#include "support/testing.h"

#include <cmath>
#include <fstream>

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::TemporaryFolder;
using testing::toy_dataset;

namespace {

namespace fs = std::filesystem;

constexpr int64_t kBatches = 4;  // of 32, 32, 32 and 4 samples

DatasetPtr small_set(uint64_t seed = 1) {
  return toy_dataset(100, {1, 6, 6}, 4, seed);
}

SupervisedProblem linear_problem(uint64_t seed = 1) {
  return {make_model("linear", small_set()->info(), seed), CrossEntropy()};
}

TrainOptions short_run(int64_t epochs = 3) {
  return TrainOptions().epochs(epochs).batch_size(32).optimizer(OptimizerOptions().learning_rate(0.01));
}

NamedTensors copied(Problem& problem) {
  NamedTensors copy;
  for (const auto& [name, tensor] : problem.state()) copy.emplace_back(name, tensor.detach().clone());
  return copy;
}

bool same_bits(const NamedTensors& one, const NamedTensors& two) {
  bool same = one.size() == two.size();
  for (size_t i = 0; same && i < one.size(); ++i) same = identical(one[i].second, two[i].second);
  return same;
}

void expect_run_error(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "no error; expected one with '" << part << "'";
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

std::vector<std::shared_ptr<Objective>> methods() {
  const auto inner = AscentOptions().steps(3).learning_rate(0.02);
  return {std::make_shared<Erm>(), std::make_shared<Arks>(GaussianKernel(0.5), inner),
          std::make_shared<Wrm>(1.0, inner), std::make_shared<PgdTraining>(PgdTrainingOptions().eps(0.05), inner)};
}

/// Draws random numbers in every batch.
PgdTraining random_method() {
  return PgdTraining(PgdTrainingOptions().eps(0.1).random_start(true), AscentOptions().steps(2).learning_rate(0.03));
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Without what the clock decides.
std::string timeless(EpochMetrics metrics) {
  metrics.seconds = metrics.images_per_second = 0;
  return to_json(metrics);
}

void expect_same_metrics(const TrainSummary& one, const TrainSummary& two) {
  ASSERT_EQ(one.epochs.size(), two.epochs.size());
  for (size_t i = 0; i < one.epochs.size(); ++i) EXPECT_EQ(timeless(one.epochs[i]), timeless(two.epochs[i]));
}

/// metrics.jsonl says what the summary says, one line for each epoch.
void expect_lines(const fs::path& folder, const TrainSummary& summary) {
  const auto lines = lines_of(folder / run_files::kMetrics);
  ASSERT_EQ(lines.size(), summary.epochs.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i], to_json(summary.epochs[i]));
    EXPECT_EQ(epoch_metrics_from_json(lines[i]).epoch, static_cast<int64_t>(i) + 1);
  }
}

/// A way to say stop after some batches.
std::function<bool()> stop_after(int64_t batches) {
  return [left = batches]() mutable { return left-- <= 0; };
}

using MakeProblem = std::function<SupervisedProblem(uint64_t seed)>;

/// Stops after each of these numbers of batches, goes on in a new process' stead (a new model with other weights, a new
/// trainer), and must end where the uninterrupted run ends.
void expect_resume_changes_nothing(const Objective& objective, const TrainOptions& options, const MakeProblem& make) {
  auto whole = make(1);
  const auto expected = train(whole, small_set(), objective, options);
  const auto weights = copied(whole);
  for (const int64_t batches : {0, 1, 3, 4, 6, 8, 11}) {
    const TemporaryFolder folder;
    auto first = make(1);
    const auto stopped = Trainer(first, small_set(), objective,
                                 TrainOptions(options).folder(folder.path()).stop_requested(stop_after(batches)))
                             .run();
    EXPECT_EQ(stopped.termination, TrainTermination::kInterrupted) << batches;
    EXPECT_EQ(static_cast<int64_t>(stopped.epochs.size()), batches / kBatches);
    expect_lines(folder.path(), stopped);
    const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
    EXPECT_EQ(checkpoint.epoch, batches / kBatches);
    EXPECT_EQ(checkpoint.batch, batches % kBatches);
    EXPECT_TRUE(same_bits(checkpoint.weights, copied(first)));

    auto second = make(99);
    Trainer trainer(second, small_set(), objective, TrainOptions(options).folder(folder.path()));
    trainer.resume(checkpoint, "checkpoint");
    const auto resumed = trainer.run();
    EXPECT_EQ(resumed.termination, TrainTermination::kCompleted);
    EXPECT_TRUE(same_bits(copied(second), weights)) << "stopped after " << batches << " batches";
    expect_same_metrics(resumed, expected);
    expect_lines(folder.path(), resumed);
  }
}

/// w·Σu, but in one batch it is what the test says.
class SpoiledAt : public FunctionProblem {
 public:
  SpoiledAt(int64_t batch, std::function<torch::Tensor(const torch::Tensor& w)> spoiled)
      : SpoiledAt(batch, std::move(spoiled), torch::ones({1}).set_requires_grad(true)) {}

 private:
  SpoiledAt(int64_t batch, std::function<torch::Tensor(const torch::Tensor& w)> spoiled, const torch::Tensor& w)
      : FunctionProblem(
            [batch, spoiled = std::move(spoiled), w, calls = int64_t{0}](const torch::Tensor& u,
                                                                         const torch::Tensor&) mutable {
              const auto plain = u.flatten(1).mean(1) * w;
              return ++calls == batch ? plain * 0 + spoiled(w) : plain;
            },
            {w}) {}
};

torch::Tensor not_a_number(const torch::Tensor& w) {
  return w * std::nan("");
}

/// Zero, with a gradient of 0·∞.
torch::Tensor without_gradient(const torch::Tensor& w) {
  return (w * 0).sqrt();
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

TEST(Trainer, ResumesBitForBitWithSgdAndMomentum) {
  const auto optimizer = OptimizerOptions()
                             .kind(OptimizerKind::kSgd)
                             .learning_rate(0.05)
                             .momentum(0.9)
                             .weight_decay(1e-3)
                             .decay_epochs({1});
  expect_resume_changes_nothing(random_method(), short_run().optimizer(optimizer).test_set(small_set(2)),
                                linear_problem);
}

TEST(Trainer, ResumesBitForBitWithAdam) {
  expect_resume_changes_nothing(
      random_method(), short_run().optimizer(OptimizerOptions().kind(OptimizerKind::kAdam).learning_rate(0.01)),
      linear_problem);
}

TEST(Trainer, ResumesBitForBitWithAmsgrad) {
  expect_resume_changes_nothing(random_method(), short_run(), linear_problem);
  expect_resume_changes_nothing(Arks(GaussianKernel(0.5), AscentOptions().steps(2)), short_run(), linear_problem);
}

TEST(Trainer, ResumesBitForBitWithBatchNorm) {
  const auto make = [](uint64_t seed) {
    torch::manual_seed(seed);
    torch::nn::Sequential net(torch::nn::Flatten(), torch::nn::Linear(36, 8), torch::nn::BatchNorm1d(8),
                              torch::nn::Linear(8, 4));
    return SupervisedProblem(net, CrossEntropy());
  };
  expect_resume_changes_nothing(Arks(GaussianKernel(0.5), AscentOptions().steps(2)), short_run(), make);
}

TEST(Trainer, GoesOnFromTheLastEpochAfterACrash) {
  // a crash leaves checkpoint.pt of one moment and metrics.jsonl of the same or of the one before
  const TemporaryFolder folder;
  const auto objective = random_method();
  auto whole = linear_problem();
  const auto keep = [&](const EpochMetrics& metrics) {
    const std::string copy = "epoch" + std::to_string(metrics.epoch) + ".pt";
    fs::copy_file(folder / run_files::kCheckpoint, folder / copy);
  };
  const auto expected = train(whole, small_set(), objective, short_run().folder(folder.path()).on_epoch(keep));
  for (const std::string copy : {"epoch1.pt", "epoch2.pt", "epoch3.pt"}) {
    auto problem = linear_problem(5);
    Trainer trainer(problem, small_set(), objective, short_run().folder(folder.path()));
    trainer.resume(read_checkpoint(folder / copy), copy);
    const auto resumed = trainer.run();
    EXPECT_TRUE(same_bits(copied(problem), copied(whole))) << copy;
    expect_same_metrics(resumed, expected);
    expect_lines(folder.path(), resumed);
  }
}

TEST(Trainer, TrainsOnWhenMoreEpochsAreAskedFor) {
  const TemporaryFolder folder;
  auto longer = linear_problem(), shorter = linear_problem();
  const auto expected = train(longer, small_set(), Erm(), short_run(4));
  train(shorter, small_set(), Erm(), short_run(2).folder(folder.path()));
  Trainer trainer(shorter, small_set(), Erm(), short_run(4));
  trainer.resume(read_checkpoint(folder / run_files::kCheckpoint), "checkpoint");
  expect_same_metrics(trainer.run(), expected);
  EXPECT_TRUE(same_bits(copied(longer), copied(shorter)));
}

TEST(Trainer, RefusesACheckpointOfAnotherModelAndChangesNothing) {
  const TemporaryFolder folder;
  auto saved = linear_problem();
  train(saved, small_set(), Erm(), short_run(1).folder(folder.path()));
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  const auto data = toy_dataset(20);
  SupervisedProblem other(make_model("fashion-cnn", data->info(), 1), CrossEntropy());
  const auto before = copied(other);
  Trainer trainer(other, data, Erm(), short_run(1));
  expect_error([&] { trainer.resume(checkpoint, "runs/a"); },
               "runs/a holds a model of architecture 'linear', not 'fashion-cnn'");
  EXPECT_TRUE(same_bits(copied(other), before));
}

TEST(Trainer, RefusesACheckpointOfAnotherOptimiserAndChangesNothing) {
  const auto saved_with = [](OptimizerKind kind) {
    const TemporaryFolder folder;
    auto problem = linear_problem();
    train(problem, small_set(), Erm(), short_run(1).optimizer(OptimizerOptions().kind(kind)).folder(folder.path()));
    return read_checkpoint(folder / run_files::kCheckpoint);
  };
  const auto sgd = OptimizerKind::kSgd, adam = OptimizerKind::kAdam, amsgrad = OptimizerKind::kAmsgrad;
  for (const auto& [from, to] : {std::pair{sgd, adam}, {sgd, amsgrad}, {adam, sgd}, {amsgrad, sgd}, {adam, amsgrad}}) {
    auto problem = linear_problem(5);
    const auto before = copied(problem);
    const auto checkpoint = saved_with(from);
    Trainer trainer(problem, small_set(), Erm(), short_run().optimizer(OptimizerOptions().kind(to)));
    expect_error([&] { trainer.resume(checkpoint, "runs/a"); },
                 "runs/a: the state of the optimiser does not fit this run");
    EXPECT_TRUE(same_bits(copied(problem), before));
  }
}

TEST(Trainer, RefusesAnotherBatchSizeInMidEpoch) {
  const TemporaryFolder folder;
  auto problem = linear_problem();
  train(problem, small_set(), Erm(), short_run().folder(folder.path()).stop_requested(stop_after(3)));
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  Trainer smaller(problem, small_set(), Erm(), short_run().batch_size(16));
  expect_error([&] { smaller.resume(checkpoint, "runs/a"); },
               "runs/a stands in mid-epoch, 3 batches and 96 samples on");
  Trainer shorter(problem, limited(small_set(), 64), Erm(), short_run());
  expect_error([&] { shorter.resume(checkpoint, "runs/a"); }, "not with 32 of 64");
}

TEST(Trainer, GoesOnWithTheOptionsOfTheNewRun) {
  const TemporaryFolder folder;
  auto problem = linear_problem(), steady = linear_problem();
  train(problem, small_set(), Erm(), short_run(1).folder(folder.path()));
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  Trainer decayed(problem, small_set(), Erm(),
                  short_run(2).optimizer(OptimizerOptions().learning_rate(0.01).weight_decay(0.1)));
  decayed.resume(checkpoint, "runs/a");
  decayed.run();
  Trainer same(steady, small_set(), Erm(), short_run(2));
  same.resume(checkpoint, "runs/a");
  same.run();
  EXPECT_FALSE(same_bits(copied(problem), copied(steady)));
}

TEST(Trainer, RefusesACheckpointWithDamagedParts) {
  const TemporaryFolder folder;
  auto saved = linear_problem();
  train(saved, small_set(), Erm(), short_run(1).folder(folder.path()));
  const auto good = read_checkpoint(folder / run_files::kCheckpoint);
  const auto refused = [&](const Checkpoint& checkpoint, const std::string& why) {
    auto problem = linear_problem(5);
    const auto before = copied(problem);
    Trainer trainer(problem, small_set(), Erm(), short_run(1));
    expect_error([&] { trainer.resume(checkpoint, "runs/a"); }, why);
    EXPECT_TRUE(same_bits(copied(problem), before));
  };
  auto bad = good;
  bad.optimizer = torch::zeros({10}, torch::kByte);
  refused(bad, "runs/a: the state of the optimiser does not fit this run");
  bad = good;
  bad.generator = torch::zeros({10}, torch::kByte);
  refused(bad, "runs/a: the state of the optimiser does not fit this run");
  bad = good;
  bad.metrics = {"nonsense"};
  refused(bad, "not a line of metrics");
}

TEST(Trainer, StopsWhenTheLossIsNotANumberAndKeepsTheLastGoodCheckpoint) {
  const TemporaryFolder folder;
  SpoiledAt problem(kBatches + 3, not_a_number);
  expect_run_error([&] { train(problem, small_set(), Erm(), short_run().folder(folder.path())); },
                   "method erm, epoch 2, batch 3: the loss became nan");
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  EXPECT_EQ(checkpoint.epoch, 1);
  EXPECT_EQ(checkpoint.batch, 0);
  EXPECT_TRUE(checkpoint.weights[0].second.isfinite().all().item<bool>());
  EXPECT_EQ(lines_of(folder / run_files::kMetrics).size(), 1u);
}

TEST(Trainer, DoesNotSaveWeightsThatTheLastBatchSpoiled) {
  const TemporaryFolder folder;
  SpoiledAt problem(kBatches, without_gradient);
  expect_run_error([&] { train(problem, small_set(), Erm(), short_run().folder(folder.path())); },
                   "method erm, epoch 1, batch 4: weight parameter0 is no longer finite");
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  EXPECT_EQ(checkpoint.epoch, 0);
  EXPECT_EQ(checkpoint.weights[0].second.item<double>(), 1);
}

TEST(Trainer, DoesNotSaveSpoiledWeightsWhenItIsStopped) {
  const TemporaryFolder folder;
  SpoiledAt problem(2, without_gradient);
  const auto options = short_run().folder(folder.path()).stop_requested(stop_after(2));
  expect_run_error([&] { train(problem, small_set(), Erm(), options); },
                   "method erm, epoch 1, batch 2: weight parameter0 is no longer finite");
  EXPECT_EQ(read_checkpoint(folder / run_files::kCheckpoint).weights[0].second.item<double>(), 1);
}

TEST(Trainer, FailsWhenItCannotWrite) {
  const TemporaryFolder folder;
  auto problem = linear_problem();
  expect_run_error([&] { train(problem, small_set(), Erm(), short_run().folder(folder / "missing")); }, "cannot write");
  write_file_atomically(folder / "file", "");
  expect_run_error([&] { train(problem, small_set(), Erm(), short_run().folder(folder / "file")); }, "cannot write");
  fs::create_directory(folder / "run");
  const auto remove = [&](const BatchProgress&) { fs::remove_all(folder / "run"); };
  expect_run_error([&] { train(problem, small_set(), Erm(), short_run().folder(folder / "run").on_batch(remove)); },
                   "cannot write");
}

TEST(Trainer, WritesNothingWithoutAFolder) {
  const TemporaryFolder folder;
  const auto before = fs::current_path();
  fs::current_path(folder.path());
  auto problem = linear_problem();
  train(problem, small_set(), Erm(), short_run(1));
  fs::current_path(before);
  EXPECT_TRUE(fs::is_empty(folder.path()));
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
        for (int64_t i = 0; i < sums.size(0); ++i) seen.push_back(sums[i].item<double>());
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
  EXPECT_FALSE(found.adversarial_loss || found.mean_kernel || found.mean_cost);
  EXPECT_GT(found.images_per_second, 0);
  const auto robust = train(problem, small_set(), Arks(GaussianKernel(0.5)), options).epochs[0];
  EXPECT_GE(robust.surrogate, robust.train_loss);
  EXPECT_GE(*robust.adversarial_loss, robust.surrogate);
  EXPECT_GT(*robust.mean_kernel, 0);
  EXPECT_LT(*robust.mean_kernel, 1);
  EXPECT_GT(*robust.mean_cost, 0);
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
  EXPECT_NE(done.brief_report().find("test error"), std::string::npos);
  EXPECT_NE(done.full_report().find("epoch 2: "), std::string::npos);
  const auto stopped = train(problem, small_set(), Erm(), short_run(2).stop_requested(stop_after(1)));
  EXPECT_EQ(stopped.brief_report(), "erm: no epoch finished (interrupted)\n");
}

TEST(Trainer, RefusesWhatCannotBeTrained) {
  auto problem = linear_problem();
  FunctionProblem fixed([](const torch::Tensor& u, const torch::Tensor&) { return u.flatten(1).sum(1); });
  expect_error([&] { train(fixed, small_set(), Erm(), short_run()); }, "the problem has no parameters to train");
  expect_error([&] { train(problem, nullptr, Erm(), short_run()); }, "no training set given");
  expect_error([&] { train(problem, small_set(), Erm(), short_run(0)); }, "epochs must be positive, got 0");
  expect_error([&] { train(problem, small_set(), Erm(), short_run().batch_size(0)); },
               "batch size must be positive, got 0");
  expect_error([&] { train(problem, small_set(), Erm(), short_run().optimizer(OptimizerOptions().learning_rate(-1))); },
               "learning rate must be positive and finite, got -1");
}

}  // namespace arks
