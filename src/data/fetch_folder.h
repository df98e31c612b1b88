#pragma once
#include "data/fetch.h"

#include <filesystem>
#include <string>
#include <vector>

namespace arks {

/// Throws RunError when the user wants to stop.
void stop_if_asked(const FetchOptions& options);

/// Where a set is put together: the hidden folder data_dir/.NAME.fetch, found again by the next call when this one is
/// killed, and never taken for a set. One call at a time may work in it.
class FetchFolder {
 public:
  /// Throws Error when it cannot be made, RunError when another process is at work in it.
  FetchFolder(const FetchOptions& options, const std::string& name);
  ~FetchFolder();
  FetchFolder(const FetchFolder&) = delete;
  FetchFolder& operator=(const FetchFolder&) = delete;

  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

  /// Throws RunError when the disk has less than this left.
  void need_space(int64_t bytes) const;

  /// Runs a program; throws RunError with the first lines that it complains with when it fails, with `how_to_get` when
  /// there is none of this name.
  void run(const std::vector<std::string>& command, const std::string& how_to_get) const;

  /// Makes data_dir/NAME of the finished folder, in place of one that is there, and removes all else. Returns its path.
  std::filesystem::path install(const std::filesystem::path& finished);

 private:
  const FetchOptions& options_;
  std::filesystem::path target_, folder_;
  int lock_ = -1;
};

}  // namespace arks
