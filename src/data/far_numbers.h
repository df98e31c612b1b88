#pragma once
// Numbers so far outside the range of training that chance does not put them there, but a code for missing values does.
#include <cstdint>
#include <vector>

namespace arks {

struct FarNumbers {
  int64_t count = 0;    ///< beyond the range by more than its whole width
  double farthest = 0;  ///< of them
};

/// None where the range has no width.
FarNumbers far_numbers(const std::vector<double>& numbers, double low, double high);

}  // namespace arks
