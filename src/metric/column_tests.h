#pragma once
// Whether one column of two tables has the same distribution in both.
#include <cstdint>
#include <vector>

namespace arks {

/// A two-sample test: its statistic, and how probable one as large is when there is no difference.
struct TwoSampleTest {
  double statistic = 0;
  double p_value = 1;
  int64_t draws = 0;  ///< by which p was found; 0: by a formula
};

/// Kolmogorov and Smirnov: D = sup |F_x − F_z|, the largest gap between the shares of values up to a point. For up to
/// four million pairs the p-value is that of all orders of the pooled values, P(D' ≥ D), by the recursion of Hodges
/// ("The significance probability of the Smirnov two-sample test", 1958) over probabilities, else Kolmogorov's limit
///   2 Σ_k (−1)^(k−1) exp(−2k²λ²),   λ = D·√(mn/(m+n)).
/// With ties it is too large rather than too small. The same for exchanged sides. Throws Error for a side without
/// values, or with NaN.
TwoSampleTest kolmogorov_smirnov_test(std::vector<double> x, std::vector<double> z);

/// Pearson's χ² of homogeneity on the counts of each category in both samples:
///   χ² = Σ (observed − expected)²/expected,   with as many degrees of freedom as there are categories with a count,
/// less one. A limit: where counts below 5 are expected, the p-value is wrong (category_test). Throws Error for a side
/// without counts.
TwoSampleTest chi_squared_test(const std::vector<int64_t>& x, const std::vector<int64_t>& z);

/// Fisher's exact test of two rates: p = Σ P(k') over all tables with the same margins that are no more probable than
/// the one seen, where `hits_x` of `m` and `hits_z` of `n` are counted. The statistic is the difference of the rates.
/// Where all expected counts are large (50), χ² with the same margins takes its place. Throws Error for a side without
/// any, and for more hits than there are.
TwoSampleTest rate_test(int64_t hits_x, int64_t m, int64_t hits_z, int64_t n);

/// p-values of several tests, adjusted so that all that are below α at once are wrong with probability α at most: the
/// step-down procedure of Holm ("A simple sequentially rejective multiple test procedure", 1979). In the same order. A
/// test of twice the weight (all positive; none given: all alike) has twice the part of α, as Holm describes as well.
std::vector<double> holm_adjusted(const std::vector<double>& p_values, std::vector<double> weights = {});

}  // namespace arks
