#include "train/run_folder.h"

#include "support/file.h"

#include <arks/model/torchscript.h>
#include <arks/train/trainer.h>

#include <algorithm>
#include <array>

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr std::array kRunFiles{run_files::kConfig, run_files::kMetrics, run_files::kCheckpoint,
                               run_files::kModel,  run_files::kParts,   run_files::kInitial};

bool is_unfinished(const fs::path& file) {
  return std::any_of(kRunFiles.begin(), kRunFiles.end(),
                     [&](const char* name) { return file.filename() == unfinished(name); });
}

/// Empty where there is no such file.
std::string content_of(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) ? read_file(file) : "";
}

}  // namespace

bool holds_a_run(const fs::path& folder) {
  return content_of(folder / run_files::kConfig).rfind(kConfigMark, 0) == 0 ||
         recognise_model_file(content_of(folder / run_files::kCheckpoint)) == ModelFile::kCheckpoint;
}

bool is_run_file(const fs::path& name) {
  return std::find(kRunFiles.begin(), kRunFiles.end(), name.string()) != kRunFiles.end();
}

bool is_free_for_a_run(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return true;
  const fs::directory_iterator files(folder);
  return std::all_of(begin(files), end(files), is_unfinished);
}

std::vector<std::string> files_of_run(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const std::string name : kRunFiles) {
    if (fs::exists(folder / name, ignored)) names.push_back(name);
  }
  return names;
}

void clear_run_folder(const fs::path& folder, bool unfinished_only) {
  for (const std::string name : kRunFiles) {
    fs::remove(folder / unfinished(name));
    if (!unfinished_only && name != run_files::kConfig) fs::remove(folder / name);
  }
}

}  // namespace arks
