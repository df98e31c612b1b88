#pragma once
#include <filesystem>

namespace arks {

/// $ARKS_DATA_DIR when it is set and not empty, else /usr/share/datasets, where Debian puts data sets.
std::filesystem::path default_data_dir();

/// The user's own folder of data sets: $XDG_DATA_HOME/arks, else ~/.local/share/arks. Empty when the user has no home.
std::filesystem::path user_data_dir();

}  // namespace arks
