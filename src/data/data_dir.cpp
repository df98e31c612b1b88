#include <arks/data/data_dir.h>
#include <arks/support/error.h>

#include <cstdlib>

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDebianFolder = "/usr/share/datasets";

/// The value of an environment variable; empty when it is not set.
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

fs::path default_data_dir() {
  const auto chosen = variable("ARKS_DATA_DIR");
  return chosen.empty() ? kDebianFolder : chosen;
}

fs::path user_data_dir() {
  const fs::path chosen = variable("XDG_DATA_HOME"), home = variable("HOME");
  if (chosen.is_absolute()) return chosen / "arks";  // the XDG specification has relative ones ignored
  return home.empty() ? fs::path() : home / ".local" / "share" / "arks";
}

fs::path fetch_data_dir() {
  const fs::path chosen = variable("ARKS_DATA_DIR");
  const auto folder = chosen.empty() ? user_data_dir() : chosen;
  ARKS_CHECK(!folder.empty(), "no folder for data sets: set --data-dir, ARKS_DATA_DIR or HOME");
  return folder;
}

std::vector<fs::path> data_dirs(const fs::path& data_dir) {
  std::vector<fs::path> folders{data_dir};
  const auto own = user_data_dir();
  if (data_dir == kDebianFolder && !own.empty()) folders.push_back(own);
  return folders;
}

std::string alternatives(const std::vector<fs::path>& folders) {
  std::string text;
  for (size_t i = 0; i < folders.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == folders.size() ? " or " : ", ") + folders[i].string();
  }
  return text;
}

DataFolders::DataFolders(const fs::path& data_dir, const std::string& folder) {
  for (const auto& place : data_dirs(data_dir)) folders_.insert(folders_.end(), {place / folder, place});
}

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
