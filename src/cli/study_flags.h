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

/// Throws Error for a value that the flag does not take, and for an unknown method: what can be known before a run.
void check_step_values(const std::string& command, const study::FlagValues& flags);

/// --jobs N, 0 = one per core.
int64_t jobs_or_cores(int64_t jobs);

/// Options for running steps: this very program, interrupted by signals, progress on standard error unless `quiet`.
/// Sets the environment of the children: the folder of the data, and that they end with us.
study::RunOptions step_options(const CommonOptions& common, int64_t jobs);

/// "[ 3/18] fashion-mnist-erm-seed-0: done in 12 s, about 3 min left".
std::string describe(const study::StepProgress& progress);

}  // namespace arks::cli
