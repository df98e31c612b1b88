#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace arks {

/// $ARKS_DATA_DIR when it is set and not empty, else /usr/share/datasets, where Debian puts data sets.
std::filesystem::path default_data_dir();

/// Where the files of one data set may lie: its own folder inside the data folder, then the data folder itself.
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
