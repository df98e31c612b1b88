#pragma once
// What a training shows on its way and at its end that makes it another training than was meant.
#include "cli/train_inputs.h"
#include "cli/train_settings.h"

#include <arks/train/trainer.h>

#include <cstdint>
#include <optional>

namespace arks::cli {

/// Warns of each thing once.
class TrainWatch {
 public:
  TrainWatch(const TrainSettings& settings, const Samples& samples, bool has_batch_norm)
      : settings_(settings), samples_(samples), has_batch_norm_(has_batch_norm) {}

  /// After every epoch: that no sample moved, or that samples went too far.
  void look_at(const EpochMetrics& metrics);
  /// When all is done: that training ended while the model still improved.
  void look_at_end(const TrainSummary& summary) const;
  /// That the result predicts worse than a constant. `weighted`: its losses are, and cannot be compared.
  void look_at_result(const TrainSummary& summary, bool weighted) const;

 private:
  void warn_if_nothing_moves(const EpochMetrics& metrics);
  void warn_if_overshot(const EpochMetrics& metrics);
  bool begins(const EpochMetrics& metrics) const { return metrics.epoch == 1 && *settings_.outer.epochs > 1; }

  const TrainSettings& settings_;
  const Samples& samples_;
  bool has_batch_norm_;
  std::optional<double> first_loss_;  // of training, in the first epoch
  bool warned_of_rest_ = false;       // that no sample moved
  bool warned_of_length_ = false;     // that inner steps are too long
};

}  // namespace arks::cli
