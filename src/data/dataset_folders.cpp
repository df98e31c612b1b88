#include "data/dataset_folders.h"

#include "support/environment.h"

#include <arks/support/error.h>

namespace arks {

namespace fs = std::filesystem;

fs::path fetch_data_dir() {
  const fs::path chosen = environment_variable("ARKS_DATA_DIR");
  const auto folder = chosen.empty() ? user_data_dir() : chosen;
  ARKS_CHECK(!folder.empty(), "no folder for data sets: set --data-dir, ARKS_DATA_DIR or HOME");
  return folder;
}

std::vector<fs::path> data_dirs(const fs::path& data_dir) {
  std::vector<fs::path> folders{data_dir};
  const auto own = user_data_dir();
  if (data_dir == kDebianDataDir && !own.empty()) folders.push_back(own);
  return folders;
}

std::vector<fs::path> dataset_folders(const fs::path& data_dir, const std::vector<std::string>& names) {
  std::vector<fs::path> folders;
  for (const auto& place : data_dirs(data_dir)) {
    for (const auto& name : names) folders.push_back(place / name);
    folders.push_back(place);
  }
  return folders;
}

std::string alternatives(const std::vector<fs::path>& folders) {
  std::string text;
  for (size_t i = 0; i < folders.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == folders.size() ? " or " : ", ") + folders[i].string();
  }
  return text;
}

DataFolders::DataFolders(const fs::path& data_dir, const std::string& folder)
    : folders_(dataset_folders(data_dir, {folder})) {}

fs::path DataFolders::find(const std::string& file) const {
  for (const auto& folder : folders_) {
    for (const auto& path : {folder / (file + ".gz"), folder / file}) {
      std::error_code ignored;  // what cannot be looked at is not there
      if (fs::exists(path, ignored)) return path;
    }
  }
  return {};
}

std::string DataFolders::not_found(const std::string& file) const {
  return file + ".gz (or the same without .gz) was not found in " + alternatives(folders_);
}

}  // namespace arks
