#include "cli/train_resume.h"

#include <arks/support/error.h>
#include <arks/train/epoch_metrics.h>

namespace arks::cli {

bool stopped_early(const Checkpoint& checkpoint, const TrainSettings& settings) {
  std::vector<EpochMetrics> epochs;
  for (const auto& line : checkpoint.metrics) epochs.push_back(epoch_metrics_from_json(line));
  return checkpoint.batch == 0 && out_of_patience(epochs, settings.outer.patience.value_or(0));
}

void check_goes_on(const Checkpoint& checkpoint, const Flags& flags, const TrainSettings& settings) {
  for (const auto& [name, text] : flags.given()) {
    ARKS_CHECK(
        flags.find(name)->changes_on_resume(), "--resume: --", name,
        " cannot be changed in a run that has begun; only --epochs, machine and output settings can, except --engine, ",
        "--out and --config");
  }
  if (flags.given("epochs").empty()) return;
  ARKS_CHECK(checkpoint.ended.empty(), "--resume: ", checkpoint.ended, "; start a new run");
  ARKS_CHECK(!stopped_early(checkpoint, settings), "--resume: training stopped early, after epoch ", checkpoint.epoch,
             ", since ", settings.outer.patience.value_or(0),
             " epochs brought no lower validation loss; start a new run with a larger --patience");
  ARKS_CHECK(*settings.outer.epochs >= checkpoint.epoch, "--epochs: the run already has ", checkpoint.epoch,
             " epochs, got ", *settings.outer.epochs);
  const auto& refinement = settings.refinement;
  ARKS_CHECK(!refinement.swa.value_or(false) || *settings.outer.epochs >= refinement.swa_start.value_or(1),
             "--epochs: the run averages its weights from epoch ", *refinement.swa_start, " on, got ",
             *settings.outer.epochs);
}

}  // namespace arks::cli
