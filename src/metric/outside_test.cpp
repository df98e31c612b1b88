#include "metric/outside_test.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks {

namespace {

/// That the `count` most extreme of m + n are all among the n.
double probability_of(int64_t count, size_t m, size_t n) {
  double p = 1;
  for (int64_t i = 0; i < count && p > 0; ++i) {
    const auto taken = static_cast<double>(i);
    p *= (static_cast<double>(n) - taken) / (static_cast<double>(m + n) - taken);
  }
  return p;
}

}  // namespace

TwoSampleTest outside_test(const std::vector<double>& x, const std::vector<double>& z) {
  ARKS_CHECK(!x.empty() && !z.empty(), "numbers outside: needs values on both sides, got ", x.size(), " and ",
             z.size());
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const auto below = std::count_if(z.begin(), z.end(), [least = *low](double number) { return number < least; });
  const auto above = std::count_if(z.begin(), z.end(), [most = *high](double number) { return number > most; });
  TwoSampleTest test;
  test.statistic = static_cast<double>(below + above);
  test.p_value = std::min(1.0, 2 * probability_of(std::max<int64_t>(below, above), x.size(), z.size()));
  return test;
}

}  // namespace arks
