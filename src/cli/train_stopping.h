#pragma once
// When a training stops, and which samples are kept for that, where nobody said.
#include "cli/train_remarks.h"
#include "cli/train_settings.h"

namespace arks::cli {

/// Puts what it decides into the settings, and what is worth saying of it into the remarks.
class TrainStopping {
 public:
  TrainStopping(TrainSettings& settings, TrainRemarks& remarks) : settings_(settings), remarks_(remarks) {}

  /// Before the data are read: whether a validation part is to be kept, and which one. Throws Error for settings that
  /// do not go together.
  void choose();
  /// How many samples there must be for a part that nobody asked for; 0 when somebody did.
  int64_t at_least() const;
  /// When the parts are known.
  void found(const DataSplits& splits);
  /// Unless it was asked for: it begins at half of the epochs, and training is to stop before.
  void leave_averaging();

 private:
  void check_parts() const;
  int64_t steps_of_patience() const;
  void say_at_most();
  void look_for_classes(const Dataset& train, const Dataset& validation);
  void found_no_validation(const DataSplits& splits);

  TrainSettings& settings_;
  TrainRemarks& remarks_;
  bool validates_by_default_ = false;  // nobody asked for a validation part
  bool stops_by_default_ = false;      // nobody said how long to train
};

}  // namespace arks::cli
