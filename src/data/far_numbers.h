#pragma once
// Numbers so far outside the range of training that chance does not put them there, but a code for missing values does.
#include <cstdint>
#include <vector>

namespace arks {

struct FarNumbers {
  int64_t count = 0;    ///< beyond the range by more than its whole width
  double farthest = 0;  ///< of them
};

/// None where the range has no width. Long tails have numbers that far now and then. So there are none, either, unless
/// one of them stands twice, is made of nines (99, -9999), or is beyond the range by ten times its width.
FarNumbers far_numbers(const std::vector<double>& numbers, double low, double high);

/// `least`, itself nines, or with more of them, negative or not.
bool is_made_of_nines(double number, double least);

}  // namespace arks
