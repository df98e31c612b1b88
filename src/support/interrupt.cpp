#include "support/interrupt.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace arks {

namespace {

volatile std::sig_atomic_t g_interrupted = 0;  // a signal handler can reach nothing else

constexpr const char* kEndWithParent = "ARKS_END_WITH_PARENT";

void on_signal(int signal) {
  g_interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  g_interrupted = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

bool interrupted() {
  return g_interrupted != 0;
}

void end_children_with_us() {
  ::setenv(kEndWithParent, std::to_string(::getpid()).c_str(), /*overwrite=*/1);
}

void end_with_parent_if_asked() {
  const char* const parent = std::getenv(kEndWithParent);
  if (parent == nullptr) return;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const bool is_alive = std::to_string(::getppid()) == parent;  // asked after prctl, so that there is no gap
  ::unsetenv(kEndWithParent);                                   // it is ours, and not of programs that we start
  if (!is_alive) std::raise(SIGTERM);
}

}  // namespace arks
