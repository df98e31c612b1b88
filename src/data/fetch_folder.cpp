#include "data/fetch_folder.h"

#include "support/child_process.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace arks {

namespace fs = std::filesystem;

namespace {

/// The first two lines of what a program complained with, as one.
std::string complaint(const fs::path& file) {
  std::vector<std::string> lines;
  for (const auto& line : split(read_file(file), '\n')) {
    if (!line.empty() && lines.size() < 2) lines.push_back(line);
  }
  return join(lines, "; ");
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return c10::str("ended by signal ", WTERMSIG(status));
  return c10::str("exit code ", WEXITSTATUS(status));
}

}  // namespace

void stop_if_asked(const FetchOptions& options) {
  if (options.stop_requested() && options.stop_requested()()) {
    throw RunError("interrupted; run the same command to continue from here");
  }
}

FetchFolder::FetchFolder(const FetchOptions& options, const std::string& name)
    : options_(options), target_(options.data_dir() / name), folder_(options.data_dir() / ("." + name + ".fetch")) {
  std::error_code failure;
  fs::create_directories(folder_, failure);
  ARKS_CHECK(!failure, "cannot create the folder ", folder_.string(), ": ", failure.message());
  lock_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ARKS_CHECK(lock_ >= 0, "cannot open the folder ", folder_.string(), ": ", std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw RunError("another fetch is running in " + folder_.string());
  }
}

FetchFolder::~FetchFolder() {
  ::close(lock_);
}

void FetchFolder::need_space(int64_t bytes) const {
  std::error_code unknown;
  const auto left = fs::space(folder_, unknown);
  if (unknown || left.available >= static_cast<uintmax_t>(bytes)) return;
  throw RunError(c10::str("not enough space in ", folder_.string(), ": ", human_bytes(static_cast<double>(bytes)),
                          " needed, ", human_bytes(static_cast<double>(left.available)), " free"));
}

void FetchFolder::run(const std::vector<std::string>& command, const std::string& how_to_get) const {
  stop_if_asked(options_);
  const auto out = folder_ / "out.txt", err = folder_ / "err.txt";
  const auto end = run_child(command, out, err, options_.stop_requested());
  stop_if_asked(options_);
  const auto& program = command.front();
  if (end.start_error == ENOENT) throw RunError(c10::str(program, " was not found: ", how_to_get));
  if (end.start_error != 0) throw RunError(c10::str("cannot start ", program, ": ", std::strerror(end.start_error)));
  if (end.succeeded()) return;
  const auto why = complaint(err);
  throw RunError(c10::str(program, " failed (", how_it_ended(end.status), ")", why.empty() ? "" : ": ", why));
}

fs::path FetchFolder::install(const fs::path& finished) {
  stop_if_asked(options_);
  // two steps, since a folder with content cannot be replaced by a rename; killed between them, the next call goes on
  // with the second
  fs::remove_all(folder_ / "replaced");
  if (fs::exists(target_)) fs::rename(target_, folder_ / "replaced");
  fs::rename(finished, target_);
  std::error_code ignored;  // the set is there, whatever becomes of the rest
  fs::remove_all(folder_, ignored);
  return target_;
}

}  // namespace arks
