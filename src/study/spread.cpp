#include "study/spread.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks::study {

Spread spread(std::vector<double> values) {
  ARKS_CHECK(!values.empty(), "a mean needs at least one value, got none");
  Spread result;
  result.count = static_cast<int64_t>(values.size());
  const auto count = static_cast<double>(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    ARKS_CHECK(std::isfinite(values[i]), "value ", i + 1, " of ", values.size(), " is ", values[i],
               "; a mean needs finite values");
  }
  std::sort(values.begin(), values.end());  // the same values in another order have the same mean
  for (const double value : values) result.mean += value / count;  // divided first: a sum can overflow
  if (result.count == 1) return result;
  // hypot, since squares can overflow too
  double norm = 0;
  for (const double value : values) norm = std::hypot(norm, value - result.mean);
  result.deviation = norm / std::sqrt(count - 1);
  result.error = result.deviation / std::sqrt(count);
  return result;
}

}  // namespace arks::study
