#pragma once
// The flags that say how a table becomes training and test samples, and the way from them to the library and back.
#include "cli/command_line.h"

#include <arks/data/registry.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arks::cli {

/// What was not given stays empty until found().
struct DataSettings {
  std::optional<std::string> target, targets, task;
  std::optional<double> test_fraction;
  std::optional<int64_t> split_seed;
  std::optional<bool> standardise;
  std::optional<std::string> checksum;  // of the files

  /// Remembers what the table turned out to be, so that the next one is divided and scaled in the same way.
  void found(const TabularSplits& splits);
};

void add_data_settings(Flags& flags, DataSettings& settings);

/// The flags that were given; a set that is no table uses none of them.
std::vector<std::string> given_flags(const DataSettings& settings);

DataOptions data_options(const DataSettings& settings, const std::filesystem::path& data_dir, int64_t train_limit);

/// From the configuration of a run; what is not there stays empty.
DataSettings data_settings_from(const std::map<std::string, std::string>& config);

/// Throws Error when the files of a table are not those of the check sum, if there is one; then notes the check sum.
/// Sets that are built in have none.
void check_unchanged(DataSettings& settings, const std::string& data);

/// A path to a table as an absolute one, so that a run finds it from anywhere; the name of a known set as it is.
std::string resolved_data(const std::string& data);

}  // namespace arks::cli
