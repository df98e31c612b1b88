#pragma once
// Short runs of a linear model on toy data, and what tests of the trainer compare of them.
#include "support/testing.h"

#include <fstream>

namespace arks::testing {

namespace fs = std::filesystem;

constexpr int64_t kBatches = 4;  // of 32, 32, 32 and 4 samples

inline DatasetPtr small_set(uint64_t seed = 1) {
  return toy_dataset(100, {1, 6, 6}, 4, seed);
}

inline SupervisedProblem linear_problem(uint64_t seed = 1) {
  return {make_model("linear", small_set()->info(), seed), CrossEntropy()};
}

inline TrainOptions short_run(int64_t epochs = 3) {
  return TrainOptions().epochs(epochs).batch_size(32).optimizer(OptimizerOptions().learning_rate(0.01));
}

inline NamedTensors copied(Problem& problem) {
  NamedTensors copy;
  for (const auto& [name, tensor] : problem.state()) copy.emplace_back(name, tensor.detach().clone());
  return copy;
}

inline bool same_bits(const NamedTensors& one, const NamedTensors& two) {
  bool same = one.size() == two.size();
  for (size_t i = 0; same && i < one.size(); ++i) same = identical(one[i].second, two[i].second);
  return same;
}

/// Draws random numbers in every batch.
inline PgdTraining random_method() {
  return PgdTraining(PgdTrainingOptions().eps(0.1).random_start(true), AscentOptions().steps(2).learning_rate(0.03));
}

inline std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Without what the clock decides.
inline std::string timeless(EpochMetrics metrics) {
  metrics.seconds = metrics.images_per_second = 0;
  return to_json(metrics);
}

inline void expect_same_metrics(const TrainSummary& one, const TrainSummary& two) {
  ASSERT_EQ(one.epochs.size(), two.epochs.size());
  for (size_t i = 0; i < one.epochs.size(); ++i) EXPECT_EQ(timeless(one.epochs[i]), timeless(two.epochs[i]));
}

/// metrics.jsonl says what the summary says, one line for each epoch.
inline void expect_lines(const fs::path& folder, const TrainSummary& summary) {
  const auto lines = lines_of(folder / run_files::kMetrics);
  ASSERT_EQ(lines.size(), summary.epochs.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i], to_json(summary.epochs[i]));
    EXPECT_EQ(epoch_metrics_from_json(lines[i]).epoch, static_cast<int64_t>(i) + 1);
  }
}

/// A way to say stop after some batches.
inline std::function<bool()> stop_after(int64_t batches) {
  return [left = batches]() mutable { return left-- <= 0; };
}

using MakeProblem = std::function<SupervisedProblem(uint64_t seed)>;

/// Stops after each of these numbers of batches, goes on in a new process' stead (a new model with other weights, a new
/// trainer), and must end where the uninterrupted run ends.
inline void expect_resume_changes_nothing(const Objective& objective, const TrainOptions& options,
                                          const MakeProblem& make) {
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

}  // namespace arks::testing
