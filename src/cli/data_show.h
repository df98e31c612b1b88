#pragma once
// What `arks data show` finds in a data set: as a table for people and as JSON.
#include "cli/data_settings.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace arks::cli {

struct DataView {
  std::string text;
  std::vector<std::string> notes;  // what was found on the way, a sentence each
  nlohmann::ordered_json json;
  std::string error;  // of data that cannot be used as they are; text and json then say what is there
};

/// Loads all of the data and looks at it. `data` is what --data takes, resolved_data, and the settings fit it
/// (check_used); `known` says how known sets and image files are read. Of a text file that cannot be used as it is, the
/// columns are shown; other data then throw Error.
DataView show_data(const std::string& data, DataSettings& settings, const DataOptions& known);

}  // namespace arks::cli
