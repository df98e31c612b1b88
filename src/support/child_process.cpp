#include "support/child_process.h"

#include <arks/support/error.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

extern char** environ;

namespace arks {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kBetweenLooks(50);

/// What the child gets as stdin, stdout and stderr.
class Redirections {
 public:
  Redirections(const fs::path& out, const fs::path& err, int inherited) {
    constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, out.c_str(), kWrite, 0600);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, err.c_str(), kWrite, 0600);
    // onto itself: the child's copy stays open
    if (inherited >= 0) posix_spawn_file_actions_adddup2(&actions_, inherited, inherited);
  }
  ~Redirections() { posix_spawn_file_actions_destroy(&actions_); }
  Redirections(const Redirections&) = delete;
  Redirections& operator=(const Redirections&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// A child that can be told to stop has a process group of its own: Ctrl-C at the terminal then reaches it through us
/// only, once, and not a second time, which programs take for impatience.
class Attributes {
 public:
  explicit Attributes(bool own_group) {
    posix_spawnattr_init(&attributes_);
    if (own_group) posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

}  // namespace

ScratchFolder::ScratchFolder(const std::string& purpose) {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / ("arks-" + purpose + "-XXXXXX")).string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) {
    throw RunError(c10::str("cannot create a temporary folder: ", error ? error.message() : std::strerror(errno)));
  }
  folder_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

ChildEnd run_child(std::vector<std::string> command, const fs::path& out, const fs::path& err,
                   const std::function<bool()>& stop_requested, int inherited) {
  const Redirections redirections(out, err, inherited);
  const Attributes attributes(/*own_group=*/static_cast<bool>(stop_requested));
  std::vector<char*> arguments;
  for (auto& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  ChildEnd end;
  end.start_error =
      ::posix_spawnp(&child, arguments[0], redirections.get(), attributes.get(), arguments.data(), environ);
  if (end.start_error != 0) return end;
  bool told = false;
  for (;;) {
    const pid_t ended = ::waitpid(child, &end.status, stop_requested && !told ? WNOHANG : 0);
    if (ended == child) return end;
    if (ended < 0 && errno != EINTR) throw RunError(c10::str("lost ", command[0], ": ", std::strerror(errno)));
    if (!stop_requested || told) continue;
    told = stop_requested();
    if (told) {
      ::kill(child, SIGTERM);
    } else {
      std::this_thread::sleep_for(kBetweenLooks);
    }
  }
}

}  // namespace arks
