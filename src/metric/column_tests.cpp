#include "metric/column_tests.h"

#include "metric/log_choices.h"

#include <arks/support/error.h>
#include <boost/math/distributions/chi_squared.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arks {

namespace {

/// sup |F_x − F_z| of sorted values.
double largest_gap(const std::vector<double>& x, const std::vector<double>& z) {
  const auto m = static_cast<double>(x.size()), n = static_cast<double>(z.size());
  double gap = 0;
  size_t i = 0, j = 0;
  while (i < x.size() && j < z.size()) {
    const double value = std::min(x[i], z[j]);
    while (i < x.size() && x[i] == value) ++i;
    while (j < z.size() && z[j] == value) ++j;
    gap = std::max(gap, std::abs(static_cast<double>(i) / m - static_cast<double>(j) / n));
  }
  return gap;
}

/// P(D' ≥ gap/(m·n)): the part of all orders of the pooled values whose lattice path from (0,0) to (m,n) comes so far
/// from the diagonal. The values are drawn one by one from those that are left, so every number here is a probability:
/// what underflows is negligible, and small parts keep their digits.
double part_as_far(int64_t gap, int64_t m, int64_t n) {
  std::vector<double> arrive(static_cast<size_t>(n) + 1);  // at (i,j) from (i−1,j)
  arrive[0] = 1;
  double as_far = 0;
  for (int64_t i = 0; i <= m; ++i) {
    double from_below = 0;  // at (i,j) from (i,j−1)
    for (int64_t j = 0; j <= n; ++j) {
      double& arriving = arrive[static_cast<size_t>(j)];
      double here = arriving + from_below;
      if (std::abs(i * n - j * m) >= gap) {
        as_far += here;
        here = 0;
      }
      if (here == 0) {  // most of all places: nothing to divide
        arriving = from_below = 0;
        continue;
      }
      const double per_value = here / static_cast<double>(std::max<int64_t>(1, m + n - i - j));
      arriving = per_value * static_cast<double>(m - i);
      from_below = per_value * static_cast<double>(n - j);
    }
  }
  return std::min(1.0, as_far);
}

double kolmogorov_tail(double lambda) {
  if (lambda < 0.2) return 1;  // to 12 digits; the sum converges slowly there
  double sum = 0, sign = 1;
  for (int k = 1; k <= 100; ++k, sign = -sign) {
    const double term = std::exp(-2 * k * k * lambda * lambda);
    sum += sign * term;
    if (term < 1e-18) break;
  }
  return std::clamp(2 * sum, 0.0, 1.0);
}

/// Of all tables with these margins, those that are no more probable.
double fisher_p(int64_t hits_x, int64_t m, int64_t n, int64_t hits) {
  constexpr double kAsProbable = 1 + 1e-7;  // but for rounding
  const double tables = log_choices(m + n, hits);
  const auto probability = [&](int64_t k) { return std::exp(log_choices(m, k) + log_choices(n, hits - k) - tables); };
  const double most = kAsProbable * probability(hits_x);
  double sum = 0;
  for (int64_t k = std::max<int64_t>(0, hits - n); k <= std::min(hits, m); ++k) {
    const double found = probability(k);
    if (found <= most) sum += found;
  }
  return std::min(1.0, sum);
}

}  // namespace

TwoSampleTest kolmogorov_smirnov_test(std::vector<double> x, std::vector<double> z) {
  ARKS_CHECK(!x.empty() && !z.empty(), "Kolmogorov-Smirnov test: needs values on both sides, got ", x.size(), " and ",
             z.size());
  for (auto* side : {&x, &z}) {
    for (const double value : *side) ARKS_CHECK(!std::isnan(value), "Kolmogorov-Smirnov test: a value is NaN");
    std::sort(side->begin(), side->end());
  }
  constexpr double kMostPairs = 4e6;
  const auto [few, many] = std::minmax(x.size(), z.size());  // so that exchanging the sides changes no digit
  const auto m = static_cast<double>(few), n = static_cast<double>(many);
  TwoSampleTest test;
  test.statistic = largest_gap(x, z);
  if (test.statistic == 0) return test;
  test.p_value = m * n <= kMostPairs ? part_as_far(std::llround(test.statistic * m * n), static_cast<int64_t>(few),
                                                   static_cast<int64_t>(many))
                                     : kolmogorov_tail(test.statistic * std::sqrt(m * n / (m + n)));
  return test;
}

TwoSampleTest chi_squared_test(const std::vector<int64_t>& x, const std::vector<int64_t>& z) {
  ARKS_CHECK(x.size() == z.size(), "chi-squared test: needs the same categories twice, got ", x.size(), " and ",
             z.size());
  const auto m = static_cast<double>(std::accumulate(x.begin(), x.end(), int64_t{0}));
  const auto n = static_cast<double>(std::accumulate(z.begin(), z.end(), int64_t{0}));
  ARKS_CHECK(m > 0 && n > 0, "chi-squared test: needs counts on both sides, got ", m, " and ", n);
  TwoSampleTest test;
  double categories = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto both = static_cast<double>(x[i] + z[i]);
    if (both == 0) continue;
    ++categories;
    const double expected_x = both * m / (m + n), expected_z = both * n / (m + n);
    test.statistic += std::pow(static_cast<double>(x[i]) - expected_x, 2) / expected_x +
                      std::pow(static_cast<double>(z[i]) - expected_z, 2) / expected_z;
  }
  if (categories < 2) return test;
  const boost::math::chi_squared distribution(categories - 1);
  test.p_value = boost::math::cdf(boost::math::complement(distribution, test.statistic));
  return test;
}

TwoSampleTest rate_test(int64_t hits_x, int64_t m, int64_t hits_z, int64_t n) {
  ARKS_CHECK(m > 0 && n > 0 && hits_x >= 0 && hits_z >= 0 && hits_x <= m && hits_z <= n, "rate test: needs counts of ",
             "both sides, got ", hits_x, " of ", m, " and ", hits_z, " of ", n);
  constexpr double kLarge = 50;
  const int64_t hits = hits_x + hits_z, all = m + n;
  const auto least_expected =
      static_cast<double>(std::min(hits, all - hits)) * static_cast<double>(std::min(m, n)) / static_cast<double>(all);
  TwoSampleTest test;
  if (least_expected >= kLarge) {
    test = chi_squared_test({hits_x, m - hits_x}, {hits_z, n - hits_z});
  } else {
    test.p_value = fisher_p(hits_x, m, n, hits);
  }
  test.statistic =
      static_cast<double>(hits_z) / static_cast<double>(n) - static_cast<double>(hits_x) / static_cast<double>(m);
  return test;
}

std::vector<double> holm_adjusted(const std::vector<double>& p_values, std::vector<double> weights) {
  if (weights.empty()) weights.assign(p_values.size(), 1);
  ARKS_CHECK(weights.size() == p_values.size(), "Holm: needs as many weights as p-values, got ", weights.size(),
             " and ", p_values.size());
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto weighed = [&](size_t i) { return p_values[i] / weights[i]; };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return weighed(a) < weighed(b); });
  std::vector<double> left(order.size() + 1);  // the weights of this test and those behind it
  for (size_t rank = order.size(); rank-- > 0;) left[rank] = left[rank + 1] + weights[order[rank]];
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, std::min(1.0, left[rank] * weighed(order[rank])));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

}  // namespace arks
