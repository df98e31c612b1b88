// A run that was stopped or killed ends where it would have ended.
#include "model/reinitialise.h"
#include "train/runs.h"

namespace arks {

using namespace testing;

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

TEST(Trainer, ResumesBitForBitWithDropout) {
  const auto make = [](uint64_t seed) {
    torch::manual_seed(seed);
    torch::nn::Sequential net(torch::nn::Flatten(), torch::nn::Linear(36, 8), torch::nn::Dropout(0.5),
                              torch::nn::Linear(8, 4));
    return SupervisedProblem(net, CrossEntropy());
  };
  expect_resume_changes_nothing(Arks(GaussianKernel(0.5), AscentOptions().steps(2)), short_run(), make);
}

TEST(Trainer, DropoutDependsOnTheSeedOfTheRunAndLeavesTorchsGeneratorAlone) {
  const auto weights = [](uint64_t run_seed, uint64_t torch_seed) {
    torch::nn::Sequential net(torch::nn::Flatten(), torch::nn::Dropout(0.5), torch::nn::Linear(36, 4));
    SupervisedProblem problem(net, CrossEntropy());
    reinitialise(problem.model(), 0);
    torch::manual_seed(torch_seed);
    const auto expected = torch::rand({3});
    torch::manual_seed(torch_seed);
    train(problem, small_set(), Erm(), short_run(1).seed(run_seed));
    EXPECT_TRUE(identical(torch::rand({3}), expected));
    return copied(problem);
  };
  EXPECT_TRUE(same_bits(weights(1, 5), weights(1, 6)));
  EXPECT_FALSE(same_bits(weights(1, 5), weights(2, 5)));
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
  const auto expected =
      train(whole, small_set(), objective, short_run().folder(folder.path()).save_seconds(0).on_epoch(keep));
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

TEST(Trainer, SavesAtTheStartAndAtTheEndAndSeldomBetween) {
  const TemporaryFolder folder;
  auto problem = linear_problem();
  std::vector<int64_t> saved;
  const auto look = [&](const EpochMetrics&) {
    saved.push_back(read_checkpoint(folder / run_files::kCheckpoint).epoch);
    EXPECT_EQ(static_cast<int64_t>(lines_of(folder / run_files::kMetrics).size()), saved.back());
  };
  const auto summary =
      train(problem, small_set(), Erm(), short_run(4).folder(folder.path()).save_seconds(1e6).on_epoch(look));
  EXPECT_EQ(saved, (std::vector<int64_t>{0, 0, 0, 4}));
  expect_lines(folder.path(), summary);
  EXPECT_TRUE(same_bits(read_checkpoint(folder / run_files::kCheckpoint).weights, copied(problem)));
  // a run killed before its second save begins anew from the first, and ends where it would have ended
  saved.clear();
  auto every = linear_problem();
  train(every, small_set(), Erm(), short_run(4).folder(folder.path()).save_seconds(0).on_epoch(look));
  EXPECT_EQ(saved, (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_TRUE(same_bits(copied(every), copied(problem)));
}

TEST(Trainer, SavesWhenItIsStoppedHoweverShortAgoTheLastTimeWas) {
  const TemporaryFolder folder;
  auto problem = linear_problem();
  const auto options = short_run(4).folder(folder.path()).save_seconds(1e6).stop_requested(stop_after(kBatches + 1));
  train(problem, small_set(), Erm(), options);
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  EXPECT_EQ(checkpoint.epoch, 1);
  EXPECT_EQ(checkpoint.batch, 1);
  EXPECT_EQ(lines_of(folder / run_files::kMetrics).size(), 1U);
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
               "runs/a was saved mid-epoch, after 3 batches and 96 samples");
  Trainer shorter(problem, limited(small_set(), 64), Erm(), short_run());
  expect_error([&] { shorter.resume(checkpoint, "runs/a"); }, "not batches of 32 from 64 samples");
}

TEST(Trainer, RefusesOtherSamplesAtTheEndOfAnEpochToo) {
  const TemporaryFolder folder;
  auto problem = linear_problem();
  train(problem, small_set(), Erm(), short_run(1).folder(folder.path()));
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  for (const auto& other : {small_set(/*seed=*/2), limited(small_set(), 96)}) {
    Trainer trainer(problem, other, Erm(), short_run(2));
    expect_error([&] { trainer.resume(checkpoint, "runs/a"); },
                 "runs/a was trained on other samples than those given now");
  }
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

}  // namespace arks
