#pragma once
// What `arks data show` finds in a data set: as a table for people and as JSON.
#include "cli/data_settings.h"

#include <nlohmann/json.hpp>
#include <string>

namespace arks::cli {

struct DataView {
  std::string text;
  nlohmann::ordered_json json;
};

/// Loads all of the data and looks at it. `data` is what --data takes, resolved_data, and the settings fit it
/// (check_used); `known` says how known sets and image files are read. Throws Error for what cannot be read.
DataView show_data(const std::string& data, DataSettings& settings, const DataOptions& known);

}  // namespace arks::cli
