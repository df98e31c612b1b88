#pragma once
#include "support/stopwatch.h"
#include "train/weight_average.h"
#include "train/weights.h"

#include <arks/metric/error.h>
#include <arks/train/trainer.h>

namespace arks {

/// "error 12.34 %" where there is right and wrong, "loss 0.123" where there is not.
std::string error_or_loss(const std::optional<double>& error, double loss);

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
  enum class Figure { kSurrogate, kCleanLoss };
  /// The most that a figure of training may be.
  double most(Figure figure) const;
  void check_sane(double value, Figure figure, const char* what, int64_t batch) const;
  void check_end();
  std::string remedies() const;
  void check_weights_finite();
  Measured measure_test();
  Measured measure_validation();
  void keep_if_best();
  bool out_of_patience() const { return arks::out_of_patience(history_, options_.patience()); }
  std::vector<std::string> warnings(const EpochMetrics& result) const;
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
  int64_t fingerprint_ = 0;   // of the training set
  double constant_loss_ = 0;  // of the best constant prediction, about

  int64_t epoch_ = 0;  // finished
  int64_t batch_ = 0;  // finished of the running epoch
  BatchSums sums_;     // of the running epoch
  double seconds_ = 0;
  double last_value_ = 0;
  std::optional<double> start_surrogate_;   // of the first batch of all
  std::optional<double> start_loss_;        // likewise, on the clean samples
  bool begun_ = false;                      // whether this run has finished a batch
  NamedTensors before_;                     // weights before the running epoch, when the method watches
  NamedTensors best_;                       // weights of the best epoch on the validation set
  std::string ended_;                       // why the method ended the training
  std::optional<double> watched_accuracy_;  // of the epoch that has just been trained on
  std::vector<EpochMetrics> history_;
  std::vector<std::string> lines_;  // the same as JSON, made once
  Stopwatch since_save_;
};

}  // namespace arks
