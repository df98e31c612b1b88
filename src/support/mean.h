#pragma once
#include <limits>
#include <vector>

namespace arks {

/// NaN without values. Each is divided first, so that no sum overflows.
inline double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value / static_cast<double>(values.size());
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : sum;
}

}  // namespace arks
