// What a method may ask of the trainer: several steps on a batch, state that goes into the checkpoint, a look back at
// every epoch.
#include "train/runs.h"

namespace arks {

using testing::copied;
using testing::expect_error;
using testing::expect_lines;
using testing::expect_resume_changes_nothing;
using testing::expect_same_metrics;
using testing::kBatches;
using testing::linear_problem;
using testing::same_bits;
using testing::short_run;
using testing::small_set;
using testing::stop_after;
using testing::TemporaryFolder;

namespace {

/// ERM whose loss is weighed by how many batches it has seen, that is so in `state`.
class Counting : public Objective {
 public:
  /// Takes back this epoch; 0: none.
  explicit Counting(int64_t bad_epoch = 0, int64_t passes = 1) : bad_epoch_(bad_epoch), passes_(passes) {}
  std::string name() const override { return "counting"; }
  std::unique_ptr<Majorant> bind(Problem& problem) const override;

 private:
  int64_t bad_epoch_, passes_;
};

class CountingMajorant : public Majorant {
 public:
  CountingMajorant(Problem& problem, int64_t bad_epoch, int64_t passes)
      : erm_(Erm().bind(problem)), bad_epoch_(bad_epoch), passes_(passes) {}

  MajorantValue value(const Batch& batch, const WorstPoints& points) override {
    auto found = erm_->value(batch, points);
    found.value = found.value * (1 + seen_.item<double>());
    return found;
  }
  MajorantValue step(const Batch& batch, torch::Generator& generator, const Descend& descend) override {
    MajorantValue last;
    for (int64_t pass = 0; pass < passes_; ++pass) last = Majorant::step(batch, generator, descend);
    seen_ += 1;
    return last;
  }
  bool watches() const override { return bad_epoch_ > 0; }
  EpochVerdict after_epoch(const TrainedEpoch& epoch, torch::Generator& /*generator*/) override {
    EXPECT_EQ(epoch.batches, kBatches);
    EXPECT_EQ(epoch.batch(0).inputs.size(0), 32);
    EXPECT_EQ(epoch.batch(kBatches - 1).inputs.size(0), 4);
    const bool bad = seen_.item<double>() == static_cast<double>(bad_epoch_ * kBatches);
    return {std::nullopt, bad ? "it was bad" : ""};
  }
  NamedTensors state() const override { return {{"seen", seen_}}; }
  void load_state(const NamedTensors& state) override {
    if (!state.empty()) ASSERT_EQ(state[0].first, "seen");
    seen_ = state.empty() ? torch::zeros({1}, torch::kDouble) : state[0].second.clone();
  }

 private:
  std::unique_ptr<Majorant> erm_;
  int64_t bad_epoch_, passes_;
  torch::Tensor seen_ = torch::zeros({1}, torch::kDouble);
};

std::unique_ptr<Majorant> Counting::bind(Problem& problem) const {
  return std::make_unique<CountingMajorant>(problem, bad_epoch_, passes_);
}

}  // namespace

TEST(TrainerMethod, ResumesWithTheStateThatTheMethodCarries) {
  expect_resume_changes_nothing(Counting(), short_run(), linear_problem);
  expect_resume_changes_nothing(Counting(/*bad_epoch=*/0, /*passes=*/3), short_run(), linear_problem);
}

TEST(TrainerMethod, MayDescendSeveralTimesOnABatch) {
  // three passes over every batch are three steps, and the samples count once
  auto thrice = linear_problem(), once = linear_problem();
  const auto summary = train(thrice, small_set(), Counting(0, 3), short_run(1).batch_size(100));
  EXPECT_EQ(summary.epochs.size(), 1U);
  const auto all = small_set()->get(torch::arange(100, torch::kLong));
  const auto optimizer = make_optimizer(OptimizerOptions().learning_rate(0.01), once.parameters());
  for (int64_t pass = 0; pass < 3; ++pass) {
    optimizer->zero_grad();
    once.per_sample_loss(all.inputs, all.targets).mean().backward();
    optimizer->step();
  }
  // the order of the samples differs
  for (size_t i = 0; i < once.parameters().size(); ++i) {
    EXPECT_LT(testing::max_difference(thrice.parameters()[i], once.parameters()[i]), 1e-5);
  }
}

TEST(TrainerMethod, TakesAnEpochBackAndEnds) {
  const TemporaryFolder folder;
  auto problem = linear_problem(), good = linear_problem();
  const auto expected = train(good, small_set(), Counting(), short_run(2));
  int64_t told = 0;
  const auto options = short_run(5).folder(folder.path()).on_epoch([&](const EpochMetrics&) { ++told; });
  const auto summary = train(problem, small_set(), Counting(/*bad_epoch=*/3), options);
  EXPECT_EQ(summary.termination, TrainTermination::kTakenBack);
  EXPECT_EQ(summary.ended, "epoch 3 was undone and training ended: it was bad");
  EXPECT_NE(summary.brief_report().find("; epoch 3 was undone and training ended: it was bad\n"), std::string::npos);
  EXPECT_EQ(told, 2);
  EXPECT_TRUE(same_bits(copied(problem), copied(good)));
  expect_same_metrics(summary, expected);
  expect_lines(folder.path(), summary);
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  EXPECT_EQ(checkpoint.epoch, 2);
  EXPECT_EQ(checkpoint.batch, 0);
  EXPECT_TRUE(same_bits(checkpoint.weights, copied(good)));

  // over is over
  auto again = linear_problem(9);
  Trainer trainer(again, small_set(), Counting(3), short_run(5).folder(folder.path()));
  trainer.resume(checkpoint, "runs/a");
  const auto resumed = trainer.run();
  EXPECT_EQ(resumed.termination, TrainTermination::kTakenBack);
  EXPECT_EQ(resumed.ended, summary.ended);
  EXPECT_TRUE(same_bits(copied(again), copied(good)));
  expect_same_metrics(resumed, expected);
}

TEST(TrainerMethod, TakesAnEpochBackThatWasInterrupted) {
  auto good = linear_problem();
  train(good, small_set(), Counting(), short_run(2));
  for (const int64_t batches : {2 * kBatches, 2 * kBatches + 1, 3 * kBatches - 1}) {
    const TemporaryFolder folder;
    auto first = linear_problem();
    train(first, small_set(), Counting(3), short_run(5).folder(folder.path()).stop_requested(stop_after(batches)));
    auto second = linear_problem(9);
    Trainer trainer(second, small_set(), Counting(3), short_run(5));
    trainer.resume(read_checkpoint(folder / run_files::kCheckpoint), "runs/a");
    EXPECT_EQ(trainer.run().termination, TrainTermination::kTakenBack) << batches;
    EXPECT_TRUE(same_bits(copied(second), copied(good))) << batches;
  }
}

TEST(TrainerMethod, RefusesStateOfAnotherMethodAndChangesNothing) {
  const TemporaryFolder folder;
  auto saved = linear_problem();
  train(saved, small_set(), Counting(), short_run().folder(folder.path()).stop_requested(stop_after(2)));
  const auto checkpoint = read_checkpoint(folder / run_files::kCheckpoint);
  auto problem = linear_problem(5);
  const auto before = copied(problem);
  Trainer other(problem, small_set(), Erm(), short_run());
  expect_error([&] { other.resume(checkpoint, "runs/a"); },
               "runs/a: the checkpoint holds the state of another method (seen)");
  Trainer watching(problem, small_set(), Counting(3), short_run());
  expect_error(
      [&] { watching.resume(checkpoint, "runs/a"); },
      "runs/a was saved mid-epoch without the weights before that epoch, which method counting may go back to");
  EXPECT_TRUE(same_bits(copied(problem), before));
}

}  // namespace arks
