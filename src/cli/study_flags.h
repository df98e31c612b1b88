#pragma once
// What `reproduce` and `sweep` share: both start this program again for every step.
#include "cli/command.h"
#include "study/settings.h"
#include "study/step.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace arks::cli {

/// The commands that steps run.
class StepCommands {
 public:
  explicit StepCommands(const std::vector<std::string>& names = {"train", "evaluate", "certify"});

  study::KnownFlags known_flags() const;
  /// What they take where nothing is given.
  static study::StepDefaults defaults();
  /// Throws Error for a value that its setting does not take, whatever the others are.
  void check_values(const std::string& command, const study::FlagValues& flags) const;
  /// Throws Error for all the flags of a step where they do not go together, as far as that is known before a run.
  static void check_together(const std::string& command, const study::FlagValues& flags);

 private:
  CommandLine line_;
  std::map<std::string, std::unique_ptr<Command>> commands_;
};

/// Settings of both.
Declaration<int64_t> jobs_setting();
Declaration<bool> dry_run_setting();

/// Options for running steps: this very program, interrupted by signals, progress on standard error unless `quiet`.
/// Sets the environment of the children: the folder of the data, and that they end with us.
study::RunOptions step_options(const CommonSettings& common, int64_t jobs);

/// "[ 3/18] fashion-mnist-erm-seed-0: done in 12 s, about 3 min left".
std::string describe(const study::StepProgress& progress);

}  // namespace arks::cli
