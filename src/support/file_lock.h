#pragma once
#include <filesystem>

namespace arks {

/// A lock between processes (flock), on a file that is made when it is not there. The system lets it go when the
/// process ends, however that happens.
class FileLock {
 public:
  /// kTry: held() says whether it was free. kWait: comes back when it is.
  enum Patience { kTry, kWait };

  /// Throws RunError when the file cannot be made or locked.
  explicit FileLock(const std::filesystem::path& file, Patience patience = kTry);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool held() const { return held_; }
  void try_again();
  /// For a child that is to hold the lock too.
  int descriptor() const { return descriptor_; }

 private:
  void lock(Patience patience);

  std::filesystem::path file_;
  int descriptor_ = -1;
  bool held_ = false;
};

}  // namespace arks
