#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace arks {

/// A folder for what passes between two programs, removed with everything in it at the end of the scope.
class ScratchFolder {
 public:
  /// `purpose` becomes part of its name. Throws RunError when there is no room for it.
  explicit ScratchFolder(const std::string& purpose);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path operator/(const char* name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

/// How a program ended.
struct ChildEnd {
  int start_error = 0;  ///< errno when it could not be started, else 0
  int status = 0;       ///< as waitpid gives it

  bool succeeded() const { return start_error == 0 && status == 0; }
};

/// Runs a program and waits for it. The first word of the command is its name, looked for in PATH when it has no slash;
/// no shell is between, so nothing in the arguments is ever a command. It reads nothing; what it prints goes to the two
/// files. When stop_requested, asked several times a second, says so, the program is told to end (SIGTERM). An open
/// file may be passed on to it, such as one with a lock; −1 for none.
ChildEnd run_child(std::vector<std::string> command, const std::filesystem::path& out, const std::filesystem::path& err,
                   const std::function<bool()>& stop_requested = {}, int inherited = -1);

}  // namespace arks
