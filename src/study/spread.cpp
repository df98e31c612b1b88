#include "study/spread.h"

#include <arks/support/error.h>

#include <cmath>

namespace arks::study {

Spread spread(const std::vector<double>& values) {
  ARKS_CHECK(!values.empty(), "a mean of no values");
  Spread found;
  found.count = static_cast<int64_t>(values.size());
  const auto count = static_cast<double>(values.size());
  for (const double value : values) {
    ARKS_CHECK(std::isfinite(value), "a mean of values that are not all finite: ", value);
    found.mean += value / count;
  }
  double squares = 0;
  for (const double value : values) squares += (value - found.mean) * (value - found.mean);
  if (values.size() > 1) found.deviation = std::sqrt(squares / (count - 1));
  found.error = found.deviation / std::sqrt(count);
  return found;
}

}  // namespace arks::study
