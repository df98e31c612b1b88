#pragma once
// Where the files of known data sets are looked for.
#include <arks/data/data_dir.h>

#include <filesystem>
#include <string>
#include <vector>

namespace arks {

/// Where Debian puts data sets.
constexpr const char* kDebianDataDir = "/usr/share/datasets";

/// Where `arks data fetch` puts a set when no folder is given: $ARKS_DATA_DIR when it is set and not empty, else
/// user_data_dir(). Throws Error when there is neither.
std::filesystem::path fetch_data_dir();

/// The folders in which sets are looked for: data_dir, and after Debian's own, which stands for "none was chosen", also
/// user_data_dir().
std::vector<std::filesystem::path> data_dirs(const std::filesystem::path& data_dir);

/// Where one set may lie: in each of data_dirs(data_dir) its own folder, by any of these names, then that itself.
std::vector<std::filesystem::path> dataset_folders(const std::filesystem::path& data_dir,
                                                   const std::vector<std::string>& names);

/// "A", "A or B", "A, B or C"
std::string alternatives(const std::vector<std::filesystem::path>& folders);

/// Finds the files of one data set, which may be compressed, in its dataset_folders.
class DataFolders {
 public:
  DataFolders(const std::filesystem::path& data_dir, const std::string& folder);

  /// The first of `file`.gz and `file` that exists, folder by folder; empty when there is none.
  std::filesystem::path find(const std::string& file) const;

  /// "train-images.gz (or the same without .gz) was not found in A or B"
  std::string not_found(const std::string& file) const;

 private:
  std::vector<std::filesystem::path> folders_;
};

}  // namespace arks
