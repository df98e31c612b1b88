#pragma once
#include "cli/train_remarks.h"
#include "cli/train_settings.h"

namespace arks::cli {

/// Whether the test samples of own data can say anything of new ones, and whether the parts are as large as was asked.
void look_for_leaks(const TrainSettings& settings, const DataSplits& splits, TrainRemarks& remarks);

}  // namespace arks::cli
