#include "cli/study_flags.h"

#include "cli/interrupt.h"
#include "cli/train_settings.h"

#include <arks/support/error.h>
#include <arks/support/text.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>

namespace arks::cli {

study::KnownFlags known_step_flags() {
  CommandLine line("", "", "");
  study::KnownFlags known;
  for (const auto& make : {make_train_command, make_evaluate_command, make_certify_command}) {
    const auto command = make(line);
    for (const auto& flag : command->flags().names()) known[command->flags().command()].push_back(flag.substr(2));
  }
  return known;
}

void check_step_values(const std::string& command, const study::FlagValues& flags) {
  CommandLine line("", "", "");
  const auto train = make_train_command(line), evaluate = make_evaluate_command(line);
  const auto certify = make_certify_command(line);
  for (const auto& [name, value] : flags) {
    Arguments arguments{command, "--" + name + "=" + value};
    if (command != "train") arguments.emplace_back("model");
    line.parse(arguments);
    if (command != "train" || name != "method") continue;
    TrainSettings settings;
    settings.method = value;
    fill_published(settings);
  }
}

int64_t jobs_or_cores(int64_t jobs) {
  ARKS_CHECK(jobs >= 0 && jobs <= 1024, "--jobs must be 0 to 1024, got ", jobs);
  return jobs > 0 ? jobs : static_cast<int64_t>(std::max(1U, std::thread::hardware_concurrency()));
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

study::RunOptions step_options(const CommonOptions& common, int64_t jobs) {
  if (!common.data_dir.empty()) {
    ::setenv("ARKS_DATA_DIR", std::filesystem::absolute(common.data_dir).c_str(), /*overwrite=*/1);
  }
  if (common.no_cache) ::setenv("ARKS_CACHE_DIR", "", /*overwrite=*/1);
  ::setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);  // steps share the cores
  end_children_with_us();
  study::RunOptions options;
  std::error_code failure;
  options.tool = std::filesystem::read_symlink("/proc/self/exe", failure).string();
  if (failure) options.tool = "arks";
  options.jobs = jobs_or_cores(jobs);
  options.stop_requested = interrupted;
  const bool quiet = common.quiet, verbose = common.verbose;
  options.on_begun = [verbose](const std::string& name) {
    if (verbose) std::cerr << name << ": begun\n";
  };
  options.on_finished = [quiet](const study::StepProgress& progress) {
    if (!quiet && !progress.outcome.kept) std::cerr << describe(progress) << "\n";
  };
  return options;
}

}  // namespace arks::cli
