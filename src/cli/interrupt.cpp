#include "cli/interrupt.h"

#include <csignal>

namespace arks::cli {

namespace {

volatile std::sig_atomic_t g_interrupted = 0;  // a signal handler can reach nothing else

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

}  // namespace arks::cli
