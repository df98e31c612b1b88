#include <arks/data/data_dir.h>

#include <cstdlib>

namespace arks {

namespace fs = std::filesystem;

fs::path default_data_dir() {
  const char* chosen = std::getenv("ARKS_DATA_DIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/usr/share/datasets";
}

DataFolders::DataFolders(const fs::path& data_dir, const std::string& folder) : folders_{data_dir / folder, data_dir} {}

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
  return file + ".gz (or the same without .gz) was not found in " + folders_[0].string() + " or " +
         folders_[1].string();
}

}  // namespace arks
