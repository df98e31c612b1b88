#pragma once
// A progress bar with rate and remaining time on a terminal; elsewhere nothing, since plain lines tell enough.
#include "support/stopwatch.h"

#include <cstdint>
#include <string>

namespace arks::cli {

class ProgressBar {
 public:
  /// Drawn on standard error when that is a terminal.
  ProgressBar(std::string unit, bool enabled);
  ~ProgressBar();

  /// `done` of `total` steps are finished; `units` of the unit (images) have gone by since the start.
  void update(int64_t done, int64_t total, int64_t units, const std::string& label);
  /// Wipes the bar so that a line can be printed; the next update draws it again.
  void clear();

 private:
  std::string unit_;
  bool enabled_;
  bool drawn_ = false;
  int64_t first_ = -1;  // `done` at the first update: what came before, such as loading, says nothing of the speed
  int64_t first_units_ = 0;
  Stopwatch since_first_, since_drawn_;
};

}  // namespace arks::cli
