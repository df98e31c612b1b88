#include "metric/category_test.h"

#include "support/testing.h"

#include <arks/support/random.h>

#include <cmath>
#include <numeric>

namespace arks {

using testing::expect_error;

namespace {

TwoSampleTest test_of(const std::vector<int64_t>& x, const std::vector<int64_t>& z, int64_t draws = 9999) {
  auto generator = make_generator(0, Stream::kSamples, 7);
  return category_test(x, z, draws, generator);
}

/// Counts of so many values, which come with frequencies as 1, 1/4, 1/9, …
std::vector<int64_t> zipf(int64_t categories, int64_t rows, uint64_t seed) {
  auto generator = make_generator(seed, Stream::kSamples, 8);
  const auto shares = 1 / torch::arange(1, categories + 1, torch::kDouble).square();
  const auto drawn = torch::multinomial(shares, rows, /*replacement=*/true, generator).bincount({}, categories);
  return {drawn.data_ptr<int64_t>(), drawn.data_ptr<int64_t>() + categories};
}

double choices(int64_t of, int64_t k) {
  const auto log_factorial = [](int64_t number) { return std::lgamma(static_cast<double>(number) + 1); };
  return log_factorial(of) - log_factorial(k) - log_factorial(of - k);
}

/// The exact p of χ² for three categories.
double counted_p(const std::vector<int64_t>& x, const std::vector<int64_t>& z) {
  const std::vector<int64_t> both{x[0] + z[0], x[1] + z[1], x[2] + z[2]};
  const int64_t m = x[0] + x[1] + x[2], all = both[0] + both[1] + both[2];
  const double seen = chi_squared_test(x, z).statistic * (1 - 1e-9);
  double sum = 0;
  for (int64_t a = 0; a <= std::min(m, both[0]); ++a) {
    for (int64_t b = std::max<int64_t>(0, m - a - both[2]); b <= std::min(m - a, both[1]); ++b) {
      const std::vector<int64_t> of_x{a, b, m - a - b}, of_z{both[0] - a, both[1] - b, both[2] - m + a + b};
      if (chi_squared_test(of_x, of_z).statistic < seen) continue;
      sum += std::exp(choices(both[0], a) + choices(both[1], b) + choices(both[2], m - a - b) - choices(all, m));
    }
  }
  return sum;
}

}  // namespace

TEST(CategoryTest, IsTheLimitWhereAllCategoriesAreFrequent) {
  const auto found = test_of({30, 70}, {50, 50}), limit = chi_squared_test({30, 70}, {50, 50});
  EXPECT_EQ(found.p_value, limit.p_value);
  EXPECT_EQ(found.statistic, limit.statistic);
  EXPECT_EQ(found.draws, 0);
  EXPECT_EQ(test_of({10, 0}, {5, 0}).p_value, 1) << "one category";
  expect_error([] { test_of({1, 2}, {0, 0}); }, "needs counts on both sides");
  expect_error([] { test_of({1, 2}, {2, 0}, 0); }, "draws must be positive");
}

/// No draws are needed, and none can say as little as a formula.
TEST(CategoryTest, OfTwoIsExact) {
  const auto found = test_of({0, 100000}, {8, 992}, 99);
  EXPECT_LT(found.p_value, 1e-10);
  EXPECT_NEAR(found.p_value / rate_test(0, 100000, 8, 1000).p_value, 1, 1e-6);
  EXPECT_EQ(found.draws, 0);
  EXPECT_NEAR(found.statistic, chi_squared_test({0, 100000}, {8, 992}).statistic, 1e-9);
  const auto three = test_of({1, 99, 0}, {7, 93, 0});
  EXPECT_NEAR(three.p_value, rate_test(1, 100, 7, 100).p_value, 1e-12) << "one of them is empty";
}

/// All tables with the margins of these, and those of them with a χ² as large.
TEST(CategoryTest, DrawsWhatTablesCount) {
  for (const auto& [x, z] : {std::pair{std::vector<int64_t>{6, 10, 4}, std::vector<int64_t>{2, 11, 7}},
                             std::pair{std::vector<int64_t>{8, 10, 2}, std::vector<int64_t>{1, 12, 7}}}) {
    const auto found = test_of(x, z, 200000);
    const double exact = counted_p(x, z);
    EXPECT_NEAR(found.p_value, exact, 0.35 * exact) << "a hundred draws: three deviations";
    EXPECT_GT(found.draws, 0);
  }
}

/// Every division of the rows has the same χ².
TEST(CategoryTest, OfValuesThatComeOnceFindsNothing) {
  EXPECT_EQ(test_of({1, 1, 1, 0, 0, 0}, {0, 0, 0, 1, 1, 1}).p_value, 1);
}

TEST(CategoryTest, HasNoFalseAlarmsOfRareValues) {
  constexpr int kSets = 300;
  int below_5 = 0, below_half = 0, limit_below_5 = 0;
  for (int set = 0; set < kSets; ++set) {
    const auto x = zipf(40, 1000, 2 * set), z = zipf(40, 30, 2 * set + 1);
    const double p = test_of(x, z, 999).p_value;
    below_5 += p < 0.05 ? 1 : 0;
    below_half += p < 0.5 ? 1 : 0;
    limit_below_5 += chi_squared_test(x, z).p_value < 0.05 ? 1 : 0;
  }
  EXPECT_LT(below_5, 27) << "of 300, 15 are expected";
  EXPECT_GT(below_5, 5);
  EXPECT_GT(below_half, 110) << "nor is it blind";
  EXPECT_LT(below_half, 180);
  EXPECT_GT(limit_below_5, 45) << "this is why there are draws";
}

TEST(CategoryTest, FindsARealDriftOfManyValues) {
  auto moved = zipf(40, 200, 2);
  std::swap(moved[0], moved[1]);
  const auto found = test_of(zipf(40, 1000, 1), moved);
  EXPECT_EQ(found.draws, 9999);
  EXPECT_LT(found.p_value, 1e-10) << "draws cannot say less than 1e-4";
}

/// A drift among values of which none is frequent: draws see it, and joined ones do not.
TEST(CategoryTest, OfRareValuesHasTheLeastThatDrawsCanSay) {
  const std::vector<int64_t> none(20, 0), three(20, 3);
  auto x = none, z = three;
  x.insert(x.end(), three.begin(), three.end());
  z.insert(z.end(), none.begin(), none.end());
  x.insert(x.end(), {60, 0});
  z.insert(z.end(), {60, 2});
  EXPECT_LE(test_of(x, z, 999).p_value, 1e-3);
}

/// Where no draw was as large, a formula may say less: no more often than it should.
TEST(CategoryTest, HasNoFalseAlarmsBelowWhatDrawsCanSay) {
  int below_1 = 0;
  for (int set = 0; set < 1000; ++set) {
    const double p = test_of(zipf(40, 1000, 2 * set), zipf(40, 300, 2 * set + 1), 19).p_value;
    below_1 += p < 0.01 ? 1 : 0;
  }
  EXPECT_LE(below_1, 20) << "of 1000, 10 are allowed";
}

/// Two million rows, a rare value and one that is frequent on the other side: nothing is done row by row.
TEST(CategoryTest, TakesNoTimeForManyRows) {
  const auto alike = test_of({500000, 300000, 199998, 2}, {500200, 299900, 199899, 1});
  EXPECT_GT(alike.p_value, 0.05);
  EXPECT_GT(alike.draws, 0);
  EXPECT_NEAR(test_of({500000, 300000, 199998, 2}, {502500, 298000, 199499, 1}).p_value, 0.003, 0.0025);
  const std::vector<int64_t> once(100000, 1), none(100000, 0);
  auto x = once, z = none;
  x.insert(x.end(), {50, 50});
  z.insert(z.end(), {50050, 50050});
  const auto unseen = test_of(x, z);
  EXPECT_EQ(unseen.draws, 4000000 / 1001) << "of a thousand categories and the rest as one";
  EXPECT_LT(unseen.p_value, 1e-10) << "also as one of many tests";
}

/// Sides of different size, and values that are rare on one side only.
TEST(CategoryTest, DrawsWithTheRightSpread) {
  for (const auto& [x, z] : {std::pair{std::vector<int64_t>{1, 499, 500}, std::vector<int64_t>{8, 490, 502}},
                             std::pair{std::vector<int64_t>{2, 49, 49}, std::vector<int64_t>{6, 2494, 2500}}}) {
    const auto found = test_of(x, z, 400000);
    const double exact = counted_p(x, z);
    EXPECT_NEAR(found.p_value, exact, 0.35 * exact);
  }
}

}  // namespace arks
