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

namespace {

using MakeCommand = std::unique_ptr<Command> (*)(CommandLine& line);

MakeCommand maker_of(const std::string& name) {
  const std::map<std::string, MakeCommand> makers{
      {"train", make_train_command}, {"evaluate", make_evaluate_command}, {"certify", make_certify_command}};
  const auto found = makers.find(name);
  ARKS_CHECK(found != makers.end(), "no step runs arks ", name);
  return found->second;
}

}  // namespace

StepCommands::StepCommands(const std::vector<std::string>& names) : line_("", "", "") {
  for (const auto& name : names) commands_[name] = maker_of(name)(line_);
}

study::KnownFlags StepCommands::known_flags() const {
  study::KnownFlags known;
  for (const auto& [command_name, command] : commands_) {
    auto& of_command = known[command_name];
    for (const auto& name : command->flags().names()) {
      const auto& reason = command->flags().find(name)->not_in_studies();
      if (reason.empty()) of_command.names.push_back(name);
      if (!reason.empty()) of_command.refused[name] = reason;
      if (const auto rule = path_rule(*command->flags().find(name))) of_command.paths[name] = *rule;
    }
  }
  return known;
}

study::StepDefaults StepCommands::defaults() {
  const StepCommands fresh;  // filled in, they would check values as those of the usual method
  auto& train = *fresh.commands_.at("train");
  auto& evaluate = *fresh.commands_.at("evaluate");
  train.fill_defaults();
  evaluate.fill_defaults();
  return {train.flags().find("data")->text(), train.flags().find("method")->text(),
          evaluate.flags().find("attack")->text()};
}

void StepCommands::check_values(const std::string& command, const study::FlagValues& flags) const {
  for (const auto& [name, value] : flags) commands_.at(command)->flags().take(name, value);
}

void StepCommands::check_together(const std::string& command, const study::FlagValues& flags) {
  const StepCommands fresh({command});  // what was given for other steps must not count
  fresh.check_values(command, flags);
  fresh.commands_.at(command)->check_together();
}

Declaration<int64_t> jobs_setting() {
  return whole("jobs", "steps in parallel, one thread each; 0 = one per core").between(0, 1024).otherwise(0);
}

Declaration<bool> dry_run_setting() {
  return yes_no("dry-run", "check everything and print the steps, run none").otherwise(false);
}

std::string describe(const study::StepProgress& progress) {
  std::ostringstream line;
  const auto width = static_cast<int>(std::to_string(progress.total).size());
  line << "[" << std::setw(width) << progress.finished << "/" << progress.total << "] " << progress.name << ": "
       << study::describe(progress.outcome.state);
  if (progress.outcome.kept) {
    line << " earlier";
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
    if (verbose) std::cerr << name << ": started\n";
  };
  options.on_finished = [quiet](const study::StepProgress& progress) {
    if (!quiet && !progress.outcome.kept) std::cerr << describe(progress) << "\n";
  };
  return options;
}

}  // namespace arks::cli
