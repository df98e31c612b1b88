#pragma once
// A progress bar with rate and remaining time on a terminal; elsewhere a line now and then, or nothing where other
// lines tell enough.
#include "support/stopwatch.h"

#include <cstdint>
#include <string>

namespace arks::cli {

class ProgressBar {
 public:
  static constexpr double kFirstLine = 5, kLongestWait = 120;  // seconds

  /// Drawn on standard error when that is a terminal. Elsewhere, with `first_line` ≥ 0, a line is printed after so many
  /// seconds; each wait is twice as long as the one before, up to kLongestWait.
  ProgressBar(std::string unit, bool enabled, double first_line = -1);
  ~ProgressBar();

  /// `done` of `total` steps are finished; `units` of the unit (images) have gone by since the start.
  void update(int64_t done, int64_t total, int64_t units, const std::string& label);
  /// Wipes the bar so that a line can be printed; the next update draws it again.
  void clear();

 private:
  std::string text(int64_t done, int64_t total, int64_t units) const;
  void print_line(const std::string& line);

  std::string unit_;
  bool enabled_, terminal_;
  double wait_;  // until the next line, in seconds
  bool drawn_ = false;
  int64_t first_ = -1;  // `done` at the first update: what came before, such as loading, says nothing of the speed
  int64_t first_units_ = 0;
  Stopwatch since_first_, since_drawn_;
};

}  // namespace arks::cli
