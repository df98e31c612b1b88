#pragma once
// The data on which models are tested.
#include "cli/command_line.h"
#include "cli/data_settings.h"
#include "cli/load_run.h"

namespace arks::cli {

/// How data are read and divided: what the user's own files, tables and known sets take.
struct SourceSettings {
  DataSettings own;
  Choice<DatasetSettings> of_set{"data set", datasets_with_settings()};  // of a known set

  void add_to(Flags& flags);
  /// The flags that were given.
  std::vector<std::string> given_flags() const;
  /// Throws Error for a flag that was given and cannot mean anything for this set, and for an unknown set.
  void check_used(const std::string& data);
  /// Chooses the settings of the known set of this name, if it has some, and fills them in.
  void choose(const std::string& data);
  /// How to load the set as these settings say.
  DataOptions options(const std::string& data, const std::filesystem::path& data_dir);
};

/// One part of the set called `data`, of the first run when that is empty, then filled in. Tables and data of the
/// user's own are divided and scaled as the runs did, which must agree; only where all models are files do `settings`
/// say how, and inputs are standardised only when that is asked for: such a model takes the numbers as they are.
/// Throws Error when no run knows the data and none are given.
DatasetPtr load_data(const std::vector<Run>& runs, Split split, std::string& data, SourceSettings& settings,
                     const CommonSettings& common);

/// Name and value of all that decided which samples load_data returned, for the report.
std::vector<std::pair<std::string, std::string>> used_data_settings(const std::vector<Run>& runs,
                                                                    const std::string& data,
                                                                    const SourceSettings& settings);

}  // namespace arks::cli
