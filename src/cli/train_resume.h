#pragma once
// A run that goes on: what may change, and whether it has ended.
#include "cli/flags.h"
#include "cli/train_settings.h"

#include <arks/train/checkpoint.h>

namespace arks::cli {

/// Whether its patience was at an end.
bool stopped_early(const Checkpoint& checkpoint, const TrainSettings& settings);

/// Throws Error for flags that cannot change in a run that has begun. More epochs can only be had of a run that has not
/// ended, and not fewer than there are.
void check_goes_on(const Checkpoint& checkpoint, const Flags& flags, const TrainSettings& settings);

}  // namespace arks::cli
