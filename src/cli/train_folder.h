#pragma once
// Where a run may be written. All of these throw Error naming --out.
#include <filesystem>
#include <string>

namespace arks::cli {

/// The folder, or the nearest one above it that exists, can be written into.
void check_writable(const std::filesystem::path& folder);

/// It is free, or holds a run that `force` allows to replace.
void check_new_folder(const std::filesystem::path& folder, bool force);

/// It is not inside the folder of the data: a run among the images would be taken for images the next time.
void check_out_of_data(const std::filesystem::path& folder, const std::string& data);

}  // namespace arks::cli
