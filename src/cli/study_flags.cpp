#include "cli/study_flags.h"

#include "support/interrupt.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>

namespace arks::cli {

StepCommands::StepCommands() : line_("", "", "") {
  for (const auto& make : {make_train_command, make_evaluate_command, make_certify_command}) {
    commands_.push_back(make(line_));
  }
}

Command& StepCommands::find(const std::string& name) const {
  for (const auto& command : commands_) {
    if (command->flags().command() == name) return *command;
  }
  throw Error("no step runs arks " + name);
}

study::KnownFlags StepCommands::known_flags() const {
  study::KnownFlags known;
  for (const auto& command : commands_) {
    auto& of_command = known[command->flags().command()];
    for (const auto& name : command->flags().names()) {
      (command->flags().find(name)->is_output() ? of_command.outputs : of_command.names).push_back(name);
    }
  }
  return known;
}

study::StepDefaults StepCommands::defaults() {
  const StepCommands fresh;  // filled in, they would check values as those of the usual method
  auto& train = fresh.find("train");
  auto& evaluate = fresh.find("evaluate");
  train.fill_defaults();
  evaluate.fill_defaults();
  return {train.flags().find("data")->text(), train.flags().find("method")->text(),
          evaluate.flags().find("attack")->text()};
}

void StepCommands::check_value(const std::string& command, const std::string& setting, const std::string& value) const {
  find(command).flags().take(setting, value);
}

std::string describe(const study::StepProgress& progress) {
  std::ostringstream line;
  const auto width = static_cast<int>(std::to_string(progress.total).size());
  line << "[" << std::setw(width) << progress.finished << "/" << progress.total << "] " << progress.name << ": "
       << study::describe(progress.outcome.state);
  if (progress.outcome.kept) {
    line << " before";
  } else if (progress.outcome.done()) {
    line << " in " << human_seconds(progress.outcome.seconds);
  }
  if (!progress.outcome.reason.empty()) line << ": " << progress.outcome.reason;
  if (!progress.outcome.kept && progress.remaining > 0)
    line << ", about " << human_seconds(progress.remaining) << " left";
  return line.str();
}

study::RunOptions step_options(const CommonSettings& common, int64_t jobs) {
  if (common.data_dir.has_value()) {
    ::setenv("ARKS_DATA_DIR", std::filesystem::absolute(*common.data_dir).c_str(), /*overwrite=*/1);
  }
  if (*common.no_cache) ::setenv("ARKS_CACHE_DIR", "", /*overwrite=*/1);
  ::setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);  // steps share the cores
  end_children_with_us();
  study::RunOptions options;
  std::error_code failure;
  options.tool = std::filesystem::read_symlink("/proc/self/exe", failure).string();
  if (failure) options.tool = "arks";
  options.jobs = jobs > 0 ? jobs : static_cast<int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  options.stop_requested = interrupted;
  const bool quiet = *common.quiet, verbose = *common.verbose;
  options.on_begun = [verbose](const std::string& name) {
    if (verbose) std::cerr << name << ": begun\n";
  };
  options.on_finished = [quiet](const study::StepProgress& progress) {
    if (!quiet && !progress.outcome.kept) std::cerr << describe(progress) << "\n";
  };
  return options;
}

}  // namespace arks::cli
