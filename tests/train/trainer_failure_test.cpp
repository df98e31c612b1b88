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

TEST(Trainer, AdvisesWhatTheMethodCanDoAboutALossThatIsNotANumber) {
  const auto expect_advice = [](const Objective& objective, const std::string& advice) {
    const auto w = torch::ones({1}).set_requires_grad(true);
    FunctionProblem problem(
        [w](const torch::Tensor& u, const torch::Tensor&) { return u.flatten(1).mean(1) * not_a_number(w); }, {w});
    expect_run_error([&] { train(problem, small_set(), objective, short_run()); }, advice);
  };
  const auto none = AscentOptions().steps(0);
  expect_advice(Erm(), "is kept; a smaller learning rate may help");
  expect_advice(Arks(GaussianKernel(1), none),
                "is kept; a smaller learning rate, a smaller sigma or a compact domain may help");
  expect_advice(Wrm(1, none), "is kept; a smaller learning rate, a larger gamma or a compact domain may help");
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
