#pragma once
// The flags that say how data of the user's own, and tables, become training and test samples, and the way from them to
// the library and back.
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
  std::optional<std::string> target, targets, task, test_data, test_targets;
  std::optional<double> test_fraction;
  std::optional<int64_t> split_seed;
  std::optional<bool> standardise;
  std::optional<std::string> resize, layout;
  std::optional<int64_t> channels;
  std::optional<std::string> checksum;  // of the files

  /// Remembers what the data turned out to be, so that the next time they are divided and scaled in the same way. What
  /// has no part in that is forgotten.
  void found(const DataSplits& splits, const std::string& data);
};

void add_data_settings(Flags& flags, DataSettings& settings);

/// The flags that were given; an official set uses none of them.
std::vector<std::string> given_flags(const DataSettings& settings);

/// Throws Error for a flag that was given and cannot mean anything for data of this kind: --resize of a table. Official
/// sets are not looked at.
void check_fit(const DataSettings& settings, const std::string& data);

DataOptions data_options(const DataSettings& settings, const std::filesystem::path& data_dir, int64_t train_limit);

/// From the configuration of a run; what is not there stays empty.
DataSettings data_settings_from(const std::map<std::string, std::string>& config);

/// Name and value, as TOML, of all that decides how data of this kind are read; nothing for official sets.
std::vector<std::pair<std::string, std::string>> as_toml(const DataSettings& settings, const std::string& data);

/// Throws Error when the sources are not those of the check sum, if there is one; then notes the check sum. Of files it
/// is one of the content, of folders one of the names and the content of the images. Built-in sets have none.
void check_unchanged(DataSettings& settings, const std::string& data);

/// A path to the user's own data as an absolute one, so that a run finds it from anywhere; the name of a known set as
/// it is.
std::string resolved_data(const std::string& data);

}  // namespace arks::cli
