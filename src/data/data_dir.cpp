#include <arks/data/data_dir.h>

#include "data/dataset_folders.h"
#include "support/environment.h"

namespace arks {

namespace fs = std::filesystem;

fs::path default_data_dir() {
  const auto chosen = environment_variable("ARKS_DATA_DIR");
  return chosen.empty() ? kDebianDataDir : chosen;
}

fs::path user_data_dir() {
  return user_folder("XDG_DATA_HOME", ".local/share");
}

}  // namespace arks
