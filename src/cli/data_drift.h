#pragma once
// What `arks data drift` finds between training data and data from the field: as tables for people and as JSON.
#include "cli/data_show.h"
#include "cli/load_data.h"

namespace arks::cli {

/// `data` is a file, a folder, a known set or a run; `field` a file or folder of the same form, which is encoded and
/// scaled as `data` are. Throws Error for what cannot be read or compared.
DataView compare_data(const std::string& data, const std::string& field, SourceSettings& settings,
                      CommonSettings& common);

}  // namespace arks::cli
