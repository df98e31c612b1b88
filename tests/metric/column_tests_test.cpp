#include "metric/column_tests.h"

#include "support/testing.h"

#include <cmath>
#include <tuple>
#include <utility>

namespace arks {

using testing::expect_error;

TEST(KolmogorovSmirnov, IsTheLargestGap) {
  EXPECT_DOUBLE_EQ(kolmogorov_smirnov_test({1, 2, 3, 4}, {3, 4, 5, 6}).statistic, 0.5);
  EXPECT_DOUBLE_EQ(kolmogorov_smirnov_test({3, 1, 2}, {1, 2, 2, 2}).statistic, 1.0 / 3);
}

TEST(KolmogorovSmirnov, CountsOrdersOfFewValues) {
  // of the C(6,3) = 20 orders of 3 and 3 values, 2 have a gap of 1
  EXPECT_NEAR(kolmogorov_smirnov_test({1, 2, 3}, {4, 5, 6}).p_value, 0.1, 1e-12);
  EXPECT_NEAR(kolmogorov_smirnov_test({1}, {2}).p_value, 1, 1e-12);
}

TEST(KolmogorovSmirnov, OfEqualSamplesFindsNothing) {
  const auto test = kolmogorov_smirnov_test({1, 1, 2, 5}, {5, 2, 1, 1});
  EXPECT_EQ(test.statistic, 0);
  EXPECT_EQ(test.p_value, 1);
}

TEST(KolmogorovSmirnov, TendsToKolmogorovsLimit) {
  std::vector<double> x, z;
  for (int i = 0; i < 3000; ++i) x.push_back(i);
  for (int i = 0; i < 3000; ++i) z.push_back(i + 100.5);  // 9 million pairs; a gap of 101/3000
  const auto test = kolmogorov_smirnov_test(x, z);
  const double lambda = 101.0 / 3000 * std::sqrt(1500.0);
  EXPECT_NEAR(test.statistic, 101.0 / 3000, 1e-12);
  double sum = 0;
  for (int k = 1; k < 20; ++k) sum += (k % 2 == 1 ? 2 : -2) * std::exp(-2 * k * k * lambda * lambda);
  EXPECT_NEAR(test.p_value, sum, 1e-12);
  for (auto* side : {&x, &z}) side->resize(1900);  // counted: 3.6 million
  const auto counted = kolmogorov_smirnov_test(x, z);
  const double near = counted.statistic * std::sqrt(950.0);
  double limit = 0;
  for (int k = 1; k < 20; ++k) limit += (k % 2 == 1 ? 2 : -2) * std::exp(-2 * k * k * near * near);
  EXPECT_NEAR(counted.p_value, limit, 0.1 * limit);
  EXPECT_NE(counted.p_value, limit);
}

TEST(KolmogorovSmirnov, IsSmallForSidesFarApart) {
  std::vector<double> x(500), z(400);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  for (size_t i = 0; i < z.size(); ++i) z[i] = 1000 + static_cast<double>(i);
  const auto test = kolmogorov_smirnov_test(x, z);
  EXPECT_EQ(test.statistic, 1);
  EXPECT_GT(test.p_value, 0);
  EXPECT_LT(test.p_value, 1e-100);
}

/// Values 0, 1, 2, … of `count` against those of another count on the same range, moved by a part of it.
std::vector<double> spread(size_t count, double moved) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = moved + (static_cast<double>(i) + 0.5) / static_cast<double>(count);
  return values;
}

/// Sides of very different size: the weights of a recursion over counts leave the range of doubles there.
TEST(KolmogorovSmirnov, DoesNotDependOnWhichSideIsLarger) {
  for (const auto& [m, n, moved] :
       {std::tuple{3000, 1333, 0.057}, std::tuple{3750, 800, 0.053}, std::tuple{4000, 1000, 0.05},
        std::tuple{2750, 1400, 0.08}, std::tuple{40000, 100, 0.13}, std::tuple{4000000, 1, 0.4}}) {
    const auto x = spread(static_cast<size_t>(m), 0), z = spread(static_cast<size_t>(n), moved);
    const auto one = kolmogorov_smirnov_test(x, z), other = kolmogorov_smirnov_test(z, x);
    EXPECT_EQ(one.statistic, other.statistic) << m;
    EXPECT_EQ(one.p_value, other.p_value) << m;
    const double lambda = one.statistic * std::sqrt(static_cast<double>(m) * n / (m + n));
    double limit = 0;
    for (int k = 1; k < 20; ++k) limit += (k % 2 == 1 ? 2 : -2) * std::exp(-2 * k * k * lambda * lambda);
    if (n > 500) EXPECT_NEAR(one.p_value, limit, 0.1 * limit) << m;
  }
}

/// Of the C(m+n,m) orders, two have all of one side before the other.
TEST(KolmogorovSmirnov, KeepsTheDigitsOfSmallParts) {
  for (const auto& [m, n] : {std::pair{10, 7}, std::pair{300, 40}, std::pair{40, 300}}) {
    const auto x = spread(static_cast<size_t>(m), 0), z = spread(static_cast<size_t>(n), 1);
    const double expected = std::log(2) + std::lgamma(m + 1.0) + std::lgamma(n + 1.0) - std::lgamma(m + n + 1.0);
    EXPECT_NEAR(std::log(kolmogorov_smirnov_test(x, z).p_value), expected, 1e-10) << m << " and " << n;
  }
}

TEST(KolmogorovSmirnov, RefusesNoValuesAndNan) {
  expect_error([] { kolmogorov_smirnov_test({}, {1}); }, "needs values on both sides");
  expect_error([] { kolmogorov_smirnov_test({1, std::nan("")}, {1}); }, "NaN");
}

TEST(ChiSquared, OfTwoCategoriesIsTheSquareOfANormal) {
  // 30 of 100 against 50 of 100: χ² = (0.2)²/(0.4·0.6·0.02), and P(χ²₁ > s) = erfc(√(s/2))
  const auto test = chi_squared_test({30, 70}, {50, 50});
  EXPECT_NEAR(test.statistic, 0.04 / (0.4 * 0.6 * 0.02), 1e-12);
  EXPECT_NEAR(test.p_value, std::erfc(std::sqrt(test.statistic / 2)), 1e-12);
}

TEST(ChiSquared, OfThreeCategoriesIsExponential) {
  const auto test = chi_squared_test({20, 30, 50, 0}, {30, 30, 40, 0});  // an empty category is none
  EXPECT_NEAR(test.statistic, 2 + 0 + 2 * 25.0 / 45, 1e-12);
  EXPECT_NEAR(test.p_value, std::exp(-test.statistic / 2), 1e-12);  // of two degrees of freedom
}

TEST(ChiSquared, OfEqualSharesFindsNothing) {
  EXPECT_EQ(chi_squared_test({10, 20}, {20, 40}).p_value, 1);
  EXPECT_EQ(chi_squared_test({10}, {5}).p_value, 1) << "one category";
  expect_error([] { chi_squared_test({1, 2}, {0, 0}); }, "needs counts on both sides");
}

/// The lady tasting tea: 3 of 4 against 1 of 4 is p = 34/70; 4 of 4 against 0 of 4 is 2/70.
TEST(RateTest, IsFishersForSmallCounts) {
  EXPECT_NEAR(rate_test(3, 4, 1, 4).p_value, 34.0 / 70, 1e-12);
  EXPECT_NEAR(rate_test(4, 4, 0, 4).p_value, 2.0 / 70, 1e-12);
  EXPECT_NEAR(rate_test(4, 4, 0, 4).statistic, -1, 1e-15);
  EXPECT_NEAR(rate_test(0, 300, 0, 200).p_value, 1, 1e-9);
  EXPECT_NEAR(rate_test(300, 300, 200, 200).p_value, 1, 1e-9);
  expect_error([] { rate_test(0, 0, 1, 2); }, "rate test: needs counts of both sides");
}

/// Near the switch both agree, and large counts take no time.
TEST(RateTest, IsChiSquaredForLargeCounts) {
  const auto exact = rate_test(40, 200, 55, 200), limit = rate_test(2000, 10000, 2200, 10000);
  EXPECT_NEAR(exact.p_value, 0.0925, 0.01);
  EXPECT_EQ(limit.p_value, chi_squared_test({2000, 8000}, {2200, 7800}).p_value);
  EXPECT_LT(rate_test(0, 1000000, 500000, 1000000).p_value, 1e-12);
}

TEST(Holm, AdjustsStepByStep) {
  // by hand: 3·0.01, then the larger of that and 2·0.04, then of that and 0.03·… in the order of the values
  const auto adjusted = holm_adjusted({0.04, 0.01, 0.03});
  EXPECT_NEAR(adjusted[1], 0.03, 1e-15);
  EXPECT_NEAR(adjusted[2], 0.06, 1e-15);
  EXPECT_NEAR(adjusted[0], 0.06, 1e-15);
  EXPECT_EQ(holm_adjusted({0.9, 0.8})[0], 1);
  // by hand: 0.02·4/2 first, then 0.015·2/1 is less, then 0.3·1/1
  const auto weighed = holm_adjusted({0.3, 0.02, 0.015}, {1, 2, 1});
  EXPECT_NEAR(weighed[1], 0.04, 1e-15);
  EXPECT_NEAR(weighed[2], 0.04, 1e-15);
  EXPECT_NEAR(weighed[0], 0.3, 1e-15);
  expect_error([] { holm_adjusted({0.5}, {1, 2}); }, "as many weights");
  EXPECT_TRUE(holm_adjusted({}).empty());
}

}  // namespace arks
