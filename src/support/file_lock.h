#pragma once
#include <filesystem>

namespace arks {

/// A lock between processes (flock), on a file that is made when it is not there. The system lets it go when the
/// process ends, however that happens.
class FileLock {
 public:
  /// kTry: held() says whether it was free. kWait: comes back when it is.
  enum Patience { kTry, kWait };

  /// Throws RunError when the file cannot be made.
  explicit FileLock(const std::filesystem::path& file, Patience patience = kTry);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool held() const { return held_; }

 private:
  int descriptor_ = -1;
  bool held_ = false;
};

}  // namespace arks
