// Losses that are no numbers, folders that cannot be written, runs that cannot begin.
#include "support/file.h"
#include "train/runs.h"

#include <cmath>

namespace arks {

using namespace testing;

namespace {

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

/// Deviations of 1 in inputs and targets, so that the best constant costs about 1.
DatasetPtr regression() {
  const auto inputs = normal({200, 6}, 1).to(torch::kFloat);
  const auto noise = normal({200, 1}, 2).to(torch::kFloat);
  DatasetInfo info;
  info.name = "toy";
  return std::make_shared<TensorDataset>(inputs, (inputs.sum(1, true) + noise) / std::sqrt(7.0), info);
}

SupervisedProblem regression_problem() {
  return {make_model("linear", regression()->info(), 1), SquaredError()};
}

TrainOptions plain_descent(double rate, int64_t epochs) {
  const auto sgd = OptimizerOptions().kind(OptimizerKind::kSgd).momentum(0).learning_rate(rate);
  return TrainOptions().epochs(epochs).batch_size(40).optimizer(sgd);
}

}  // namespace

TEST(Trainer, StopsWhenTheLossIsNotANumberAndKeepsTheLastGoodCheckpoint) {
  const TemporaryFolder folder;
  SpoiledAt problem(kBatches + 3, not_a_number);
  const auto options = short_run().folder(folder.path()).save_seconds(0);
  expect_run_error([&] { train(problem, small_set(), Erm(), options); },
                   "method erm, epoch 2, batch 3: the loss became nan");
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  EXPECT_EQ(checkpoint.epoch, 1);
  EXPECT_EQ(checkpoint.batch, 0);
  EXPECT_TRUE(checkpoint.weights[0].second.isfinite().all().item<bool>());
  EXPECT_EQ(lines_of(folder / run_files::kMetrics).size(), 1u);
}

TEST(Trainer, CallsTradesWithADivergedModelAFailedRunAndNoBadInput) {
  for (const auto engine : {Engine::kAuto, Engine::kLibtorch}) {
    SupervisedProblem problem(make_model("linear", small_set()->info(), 1), CrossEntropy(), engine);
    const auto diverge = [&](const BatchProgress&) {
      torch::NoGradGuard no_grad;
      for (auto& weight : problem.parameters()) weight.fill_(std::nan(""));
    };
    const Trades trades(TradesOptions().eps(0.1), AscentOptions().steps(2).learning_rate(0.05));
    expect_run_error([&] { train(problem, small_set(), trades, short_run().on_batch(diverge)); },
                     "method trades, epoch 1, batch 2: the loss became");
  }
}

/// Finite, but absurd beside where it began; the batch after it may well be finite too.
TEST(Trainer, EndsWhenTheLossIsFiniteButAbsurd) {
  const auto w = torch::ones({1}).set_requires_grad(true);
  int64_t calls = 0;
  FunctionProblem problem(
      [&](const torch::Tensor& u, const torch::Tensor&) {
        return (u.flatten(1).mean(1) * 0 + 1) * w * (++calls == 2 ? 1e31 : 1.0);
      },
      {w});
  expect_run_error([&] { train(problem, small_set(), Erm(), short_run()); }, "from 1 at the start: it diverged");
}

/// Every epoch ten times worse than the one before: far below a million times the first surrogate.
TEST(Trainer, EndsWhenTheCleanLossHasGrownAThousandfold) {
  const TemporaryFolder folder;
  const auto w = torch::ones({1}).set_requires_grad(true);
  double scale = 1;
  FunctionProblem problem(
      [&](const torch::Tensor& u, const torch::Tensor&) { return (u.flatten(1).mean(1) * 0 + scale) * (w * 0 + 1); },
      {w});
  const auto options =
      short_run(50).folder(folder.path()).save_seconds(0).on_epoch([&](const EpochMetrics&) { scale *= 10; });
  expect_run_error([&] { train(problem, small_set(), Erm(), options); },
                   "epoch 5, batch 4: the training loss became 10000, from 1 at the start: it diverged");
  EXPECT_EQ(read_checkpoint(folder / run_files::kCheckpoint).epoch, 4);
}

/// What comes first has no epoch before it to be compared with, and a later epoch has a first one that diverged, too.
TEST(Trainer, EndsWhenItDivergesInTheFirstEpoch) {
  const auto run = [](double rate, int64_t epochs) {
    auto problem = regression_problem();
    return train(problem, regression(), Erm(), plain_descent(rate, epochs)).epochs.back().train_loss;
  };
  expect_run_error([&] { run(3, 1); }, "it diverged");
  expect_run_error([&] { run(1.5, 2); }, "it diverged");
  EXPECT_LT(run(0.1, 2), 2);
}

/// Nor does it matter in how many pieces it was trained.
TEST(Trainer, EndsAtTheSameLimitWhenItIsResumed) {
  const TemporaryFolder folder;
  const auto w = torch::ones({1}).set_requires_grad(true);
  double loss = 1;
  FunctionProblem problem(
      [&](const torch::Tensor& u, const torch::Tensor&) { return (u.flatten(1).mean(1) * 0 + loss) * (w * 0 + 1); },
      {w});
  const auto options = short_run(50).folder(folder.path());
  const auto grow = [&](const BatchProgress&) { loss = 1000; };  // after the first batch
  train(problem, small_set(), Erm(), TrainOptions(options).on_batch(grow).stop_requested(stop_after(kBatches + 1)));
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  EXPECT_EQ(checkpoint.start_loss, 1);
  EXPECT_EQ(checkpoint.start_surrogate, 1);
  loss = 5000;  // less than a thousand times the loss of the first epoch
  const auto go_on = [&](const Checkpoint& from) {
    Trainer trainer(problem, small_set(), Erm(), TrainOptions(options).epochs(3));
    trainer.resume(from, "runs/a");
    trainer.run();
  };
  expect_run_error([&] { go_on(checkpoint); }, "from 1 at the start: it diverged");
  auto older = checkpoint;
  older.start_loss = older.start_surrogate = std::nullopt;
  go_on(older);  // as it was then
}

/// Raw inputs, a thousand deviations from 0: the loss begins far above that of a constant, and falls.
TEST(Trainer, ABadStartIsNoDivergence) {
  const auto data = regression();
  const auto all = all_of(*data);
  const auto far = std::make_shared<TensorDataset>(all.inputs + 1000, all.targets, data->info());
  auto problem = regression_problem();
  const auto start = measure(problem, *far).loss;
  ASSERT_GT(start, 2000) << "of a model that is drawn by lot";
  const auto summary = train(problem, far, Erm(), plain_descent(1e-9, 2));
  EXPECT_LT(summary.epochs.back().train_loss, start);
}

/// Class numbers, and nothing of the images but a few at a time.
TEST(Trainer, ReadsFewLargeSamplesAtOnce) {
  class Photos : public Dataset {
   public:
    Photos() {
      info_.name = "photos";
      info_.num_classes = 2;
      info_.input_shape = {3, 256, 256};
    }
    int64_t size() const override { return 3000; }
    Batch get(const torch::Tensor& indices) const override {
      most = std::max(most, indices.numel());
      return {torch::zeros({1}).expand({indices.numel(), 3, 256, 256}), indices.remainder(2)};
    }
    const DatasetInfo& info() const override { return info_; }
    mutable int64_t most = 0;

   private:
    DatasetInfo info_;
  };
  const auto photos = std::make_shared<Photos>();
  auto problem = linear_problem();
  const Trainer trainer(problem, photos, Erm(), short_run());
  EXPECT_LE(photos->most, 128);
}

/// The figures of the last epoch are measured before each step, so they do not see what the last step did.
TEST(Trainer, EndsWhenTheLastStepSpoiledTheWeights) {
  const TemporaryFolder folder;
  const auto w = torch::zeros({1}).set_requires_grad(true);
  int64_t calls = 0;
  FunctionProblem problem(
      [&](const torch::Tensor& u, const torch::Tensor&) {
        const double slope = ++calls == 2 * kBatches ? -1 : 0;
        return u.flatten(1).mean(1) * 0 + 1 + slope * (w - w.detach()) + w.detach().abs();
      },
      {w});
  const auto options = short_run(2)
                           .folder(folder.path())
                           .save_seconds(0)
                           .optimizer(OptimizerOptions().kind(OptimizerKind::kSgd).momentum(0).learning_rate(1e5));
  expect_run_error([&] { train(problem, small_set(), Erm(), options); },
                   "epoch 2, batch 4: the training loss of the last weights became 100001");
  EXPECT_EQ(read_checkpoint(folder / run_files::kCheckpoint).epoch, 1) << "the last good one";
}

TEST(Trainer, AnOutlierAmongTestSamplesIsAWarning) {
  const auto good = small_set(3);
  auto inputs = good->get(torch::arange(100)).inputs.clone();
  inputs.slice(0, 0, 20).fill_(1e12);  // of several classes, so that some are predicted wrongly
  auto info = good->info();
  info.bounds.reset();
  const auto spoiled = std::make_shared<TensorDataset>(inputs, good->get(torch::arange(100)).targets, info);
  auto problem = linear_problem();
  const auto summary = train(problem, small_set(), Erm(), short_run().test_set(spoiled));
  EXPECT_EQ(summary.epochs.size(), 3U);
  ASSERT_EQ(summary.warnings.size(), 1U);
  EXPECT_NE(summary.warnings[0].find("look for outliers"), std::string::npos) << summary.warnings[0];
  auto other = linear_problem();
  EXPECT_TRUE(train(other, small_set(), Erm(), short_run().test_set(good)).warnings.empty());
}

TEST(Trainer, AdvisesWhatTheMethodCanDoAboutALossThatIsNotANumber) {
  const auto expect_advice = [](const Objective& objective, const std::string& advice) {
    const auto w = torch::ones({1}).set_requires_grad(true);
    FunctionProblem problem(
        [w](const torch::Tensor& u, const torch::Tensor&) { return u.flatten(1).mean(1) * not_a_number(w); }, {w});
    expect_run_error([&] { train(problem, small_set(), objective, short_run()); }, advice);
  };
  const auto none = AscentOptions().steps(0);
  const auto rate =
      c10::str("is kept; a smaller learning rate (--lr, now ", short_run().optimizer().learning_rate(), ")");
  expect_advice(Erm(), rate + " may help");
  expect_advice(Arks(GaussianKernel(1), none), rate + ", a smaller sigma or a compact domain may help");
  expect_advice(Wrm(1, none), rate + ", a larger gamma or a compact domain may help");
  expect_advice(Awp(std::make_shared<Arks>(GaussianKernel(1), none)), "a smaller sigma or a compact domain may help");
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

TEST(Trainer, RefusesALastBatchOfOneForBatchNormBeforeItBegins) {
  torch::nn::Sequential net(torch::nn::Flatten(), torch::nn::Linear(36, 8), torch::nn::BatchNorm1d(8),
                            torch::nn::Linear(8, 4));
  SupervisedProblem problem(net, CrossEntropy());
  const auto before = copied(problem);
  expect_error([&] { train(problem, small_set(), Erm(), short_run(1).batch_size(33)); },
               "the last batch of 100 samples in batches of 33 is a single sample");
  EXPECT_TRUE(same_bits(copied(problem), before));
  train(problem, small_set(), Erm(), short_run(1).batch_size(32));
  auto linear = linear_problem();  // which can be
  train(linear, small_set(), Erm(), short_run(1).batch_size(33));
}

TEST(Trainer, RefusesALossWithoutAGradientInTheWeights) {
  const auto weight = torch::ones({36}).set_requires_grad(true);
  FunctionProblem detached(
      [weight](const torch::Tensor& u, const torch::Tensor&) { return u.flatten(1).matmul(weight).detach(); },
      {weight});
  expect_error([&] { train(detached, small_set(), Erm(), short_run()); },
               "train: the loss does not depend on the weights: detached, or computed under no_grad?");
  expect_error([&] { train(detached, small_set(), FreeTraining(), short_run()); },
               "train: the loss does not depend on the weights");
  FunctionProblem whole(
      [weight](const torch::Tensor& u, const torch::Tensor&) { return (u.flatten(1) * weight).argmax(1); }, {weight});
  expect_error([&] { train(whole, small_set(), Erm(), short_run()); }, "per-sample losses must be floating point");
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
  expect_error([&] { train(problem, small_set(), Erm(), short_run().save_seconds(-1)); },
               "the seconds between two saves must not be negative, got -1");
  expect_error([&] { train(problem, small_set(), Erm(), short_run().average_from(-1)); },
               "the epoch from which weights are averaged must not be negative, got -1");
}

}  // namespace arks
