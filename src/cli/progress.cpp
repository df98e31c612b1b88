#include "cli/progress.h"

#include "support/text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>

namespace arks::cli {

namespace {

constexpr int64_t kWidth = 24;
constexpr double kRedrawSeconds = 0.2;

size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressBar::ProgressBar(std::string unit, bool enabled, double first_line)
    : unit_(std::move(unit)), terminal_(::isatty(STDERR_FILENO) == 1), wait_(first_line) {
  enabled_ = enabled && (terminal_ || first_line >= 0);
}

ProgressBar::~ProgressBar() {
  clear();
}

/// "40 %, 120 rows/s, 2 min left"
std::string ProgressBar::text(int64_t done, int64_t total, int64_t units) const {
  const double elapsed = since_first_.seconds();
  std::ostringstream text;
  text << 100 * done / total << " %";
  if (done > first_ && elapsed > 0.5) {  // before that it would be a guess
    const double remaining = elapsed * static_cast<double>(total - done) / static_cast<double>(done - first_);
    text << ", " << std::llround(static_cast<double>(units - first_units_) / elapsed) << " " << unit_ << "/s, "
         << human_seconds(remaining) << " left";
  }
  return std::move(text).str();
}

void ProgressBar::print_line(const std::string& line) {
  if (since_drawn_.seconds() < wait_) return;
  since_drawn_ = Stopwatch();
  wait_ = std::min(2 * wait_, kLongestWait);
  std::cerr << line << "\n" << std::flush;
}

void ProgressBar::update(int64_t done, int64_t total, int64_t units, const std::string& label) {
  if (!enabled_) return;
  if (first_ < 0) {
    first_ = done;
    first_units_ = units;
    since_first_ = Stopwatch();
  }
  if (!terminal_) {
    print_line(label + ": " + text(done, total, units));
    return;
  }
  if (drawn_ && done < total && since_drawn_.seconds() < kRedrawSeconds) return;
  since_drawn_ = Stopwatch();
  const int64_t filled = std::min(kWidth, kWidth * done / total);
  const auto line = label + " [" + std::string(static_cast<size_t>(filled), '#') +
                    std::string(static_cast<size_t>(kWidth - filled), '.') + "] " + text(done, total, units);
  // a line that wraps could not be wiped
  std::cerr << "\r\033[K" << line.substr(0, terminal_width() - 1) << std::flush;
  drawn_ = true;
}

void ProgressBar::clear() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
  drawn_ = false;
}

}  // namespace arks::cli
