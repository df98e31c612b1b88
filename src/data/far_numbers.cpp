#include "data/far_numbers.h"

#include <algorithm>

namespace arks {

FarNumbers far_numbers(const std::vector<double>& numbers, double low, double high) {
  FarNumbers far;
  const double width = high - low;
  if (!(width > 0)) return far;
  double most = width;
  for (const double number : numbers) {
    const double beyond = std::max(low - number, number - high);
    if (beyond > width) ++far.count;
    if (beyond > most) {
      most = beyond;
      far.farthest = number;
    }
  }
  return far;
}

}  // namespace arks
