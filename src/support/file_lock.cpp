#include "support/file_lock.h"

#include <arks/support/error.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace arks {

FileLock::FileLock(const std::filesystem::path& file, Patience patience)
    : file_(file), descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) throw RunError(c10::str("cannot write ", file.string(), ": ", std::strerror(errno)));
  lock(patience);
}

void FileLock::try_again() {
  if (!held_) lock(kTry);
}

void FileLock::lock(Patience patience) {
  int answer = 0;
  do {
    answer = ::flock(descriptor_, LOCK_EX | (patience == kTry ? LOCK_NB : 0));
  } while (answer != 0 && errno == EINTR);
  if (answer != 0 && errno != EWOULDBLOCK) {
    throw RunError(c10::str("cannot lock ", file_.string(), ": ", std::strerror(errno)));
  }
  held_ = answer == 0;
}

FileLock::~FileLock() {
  ::close(descriptor_);
}

}  // namespace arks
