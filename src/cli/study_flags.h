#pragma once
// What `reproduce` and `sweep` share: both start this program again for every step.
#include "cli/command.h"
#include "study/settings.h"
#include "study/step.h"

#include <memory>
#include <string>
#include <vector>

namespace arks::cli {

/// The commands that steps run.
class StepCommands {
 public:
  StepCommands();

  study::KnownFlags known_flags() const;
  /// What they take where nothing is given.
  static study::StepDefaults defaults();
  /// Throws Error for a value that the setting does not take: what can be known before a run.
  void check_value(const std::string& command, const std::string& setting, const std::string& value) const;

 private:
  Command& find(const std::string& name) const;

  CommandLine line_;
  std::vector<std::unique_ptr<Command>> commands_;
};

/// Options for running steps: this very program, interrupted by signals, progress on standard error unless `quiet`.
/// Sets the environment of the children: the folder of the data, and that they end with us.
study::RunOptions step_options(const CommonSettings& common, int64_t jobs);

/// "[ 3/18] fashion-mnist-erm-seed-0: done in 12 s, about 3 min left".
std::string describe(const study::StepProgress& progress);

}  // namespace arks::cli
