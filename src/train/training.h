#pragma once
#include "support/stopwatch.h"
#include "train/weight_average.h"
#include "train/weights.h"

#include <arks/metric/error.h>
#include <arks/train/trainer.h>

namespace arks {

/// A training under way: what Trainer promises is kept here. The loop over epochs and batches is in training.cpp, the
/// way into a checkpoint and back in training_state.cpp.
class Training {
 public:
  Training(Problem& problem, DatasetPtr train_set, const Objective& objective, TrainOptions options);

  void resume(const Checkpoint& checkpoint, const std::string& what);
  TrainSummary run();

 private:
  enum class EpochEnd { kFinished, kStopped, kTakenBack };
  void check_last_batch();
  DatasetPtr samples_of_epoch() const;
  EpochEnd run_epoch();
  void step(const Batch& batch);
  MajorantValue descend(const Evaluate& evaluate);
  EpochMetrics finish_epoch();
  void remember_weights();
  void take_back(const std::string& why);
  void check_finite(double value) const;
  void check_weights_finite();
  Measured measure_test_set();
  void save();
  void save_if_due();

  Problem& problem_;
  DatasetPtr train_set_;
  TrainOptions options_;
  std::string method_;
  std::string remedy_;  // of the method, for a loss that is not finite
  std::unique_ptr<Majorant> majorant_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  torch::Generator generator_;
  WeightAverage average_;
  int64_t fingerprint_ = 0;  // of the training set

  int64_t epoch_ = 0;  // finished
  int64_t batch_ = 0;  // finished of the running epoch
  BatchSums sums_;     // of the running epoch
  double seconds_ = 0;
  double last_value_ = 0;
  bool begun_ = false;                      // whether this run has finished a batch
  NamedTensors before_;                     // weights before the running epoch, when the method watches
  std::string ended_;                       // why the method ended the training
  std::optional<double> watched_accuracy_;  // of the epoch that has just been trained on
  std::vector<EpochMetrics> history_;
  std::vector<std::string> lines_;  // the same as JSON, made once
  Stopwatch since_save_;
};

}  // namespace arks
