#pragma once
// What `reproduce` and `sweep` share: both start this program again for every step.
#include "cli/command.h"
#include "study/settings.h"
#include "study/step.h"

#include <functional>
#include <string>

namespace arks::cli {

/// The flags of the commands that steps run.
study::KnownFlags known_step_flags();

/// The default of a setting that is the same everywhere.
std::string default_step_value(const std::string& command, const std::string& setting);

/// Throws Error for a value that the setting does not take: what can be known before a run.
void check_step_values(const std::string& command, const study::FlagValues& flags);

/// Options for running steps: this very program, interrupted by signals, progress on standard error unless `quiet`.
/// Sets the environment of the children: the folder of the data, and that they end with us.
study::RunOptions step_options(const CommonSettings& common, int64_t jobs);

/// "[ 3/18] fashion-mnist-erm-seed-0: done in 12 s, about 3 min left".
std::string describe(const study::StepProgress& progress);

}  // namespace arks::cli
