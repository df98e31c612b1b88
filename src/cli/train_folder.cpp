#include "cli/train_folder.h"

#include "support/text.h"
#include "train/run_folder.h"

#include <arks/support/error.h>
#include <unistd.h>

namespace arks::cli {

namespace fs = std::filesystem;

void check_writable(const fs::path& folder) {
  // the nearest folder that exists decides
  fs::path existing = fs::absolute(folder);
  std::error_code ignored;
  while (!fs::exists(existing, ignored) && existing.has_relative_path()) existing = existing.parent_path();
  ARKS_CHECK(fs::is_directory(existing, ignored), "--out: ", existing.string(), " is not a folder");
  ARKS_CHECK(::access(existing.c_str(), W_OK | X_OK) == 0, "--out: cannot write into ", existing.string());
}

void check_out_of_data(const fs::path& folder, const std::string& data) {
  std::error_code ignored;
  if (!fs::is_directory(data, ignored)) return;
  const auto within = fs::weakly_canonical(folder).lexically_relative(fs::weakly_canonical(data));
  ARKS_CHECK(within.empty() || *within.begin() == "..", "--out: ", folder.string(),
             " is inside the folder of the data, ", data, "; choose another place");
}

void check_new_folder(const fs::path& folder, bool force) {
  check_writable(folder);
  if (is_free_for_a_run(folder)) return;
  ARKS_CHECK(holds_a_run(folder), "--out: ", folder.string(), " exists and is not a run folder; choose another one");
  ARKS_CHECK(force, "--out: ", folder.string(), " exists; --force replaces the run in it (", join(files_of_run(folder)),
             "; nothing else), --resume continues it");
}

}  // namespace arks::cli
