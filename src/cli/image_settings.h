#pragma once
// The flags that say what is made of a set of image files, and the way from them to the library and back.
#include "cli/command_line.h"

#include <arks/data/registry.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arks::cli {

/// Of celeba. What was not given stays empty until fill().
struct CelebaSettings {
  std::optional<std::string> attribute;
  std::optional<bool> balance;
  std::optional<int64_t> balance_seed;

  /// Puts the default wherever nothing was given.
  void fill();
};

void add_celeba_settings(Flags& flags, CelebaSettings& settings);

/// The flags that were given; sets other than celeba use none of them.
std::vector<std::string> given_flags(const CelebaSettings& settings);

CelebaOptions celeba_options(const CelebaSettings& settings);

/// Name and value as TOML, of what was given or filled in.
std::vector<std::pair<std::string, std::string>> as_toml(const CelebaSettings& settings);

/// From the configuration of a run; what is not there stays empty.
CelebaSettings celeba_settings_from(const std::map<std::string, std::string>& config);

/// How image files are read by the tool: kept in the user's cache unless --no-cache, with a progress bar on a terminal,
/// and notes on standard error.
ImageFilesOptions image_files_options(const CommonOptions& common);

}  // namespace arks::cli
