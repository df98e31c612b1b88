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

/// Of two categories, the tables with a χ² as large are those of Fisher's test when the sides are of one size.
TEST(CategoryTest, DrawsWhatFisherCounts) {
  const auto common = test_of({6, 14}, {2, 18}, 200000), rare = test_of({8, 12}, {1, 19}, 200000);
  const double exact_common = rate_test(6, 20, 2, 20).p_value, exact_rare = rate_test(8, 20, 1, 20).p_value;
  EXPECT_NEAR(common.p_value, exact_common, 0.35 * exact_common) << "a hundred draws: three deviations";
  EXPECT_NEAR(rare.p_value, exact_rare, 0.35 * exact_rare);
  EXPECT_GT(rare.draws, 0);
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
  EXPECT_NEAR(found.p_value, 1e-4, 1e-15) << "the least that there is";
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
  EXPECT_LT(unseen.p_value, 3e-4);
}

/// Sides of different size, and values that are rare on one side only.
TEST(CategoryTest, DrawsWithTheRightSpread) {
  for (const auto& [x, z] : {std::pair{std::vector<int64_t>{1, 999}, std::vector<int64_t>{7, 993}},
                             std::pair{std::vector<int64_t>{2, 98}, std::vector<int64_t>{6, 4994}}}) {
    const auto found = test_of(x, z, 400000);
    const double exact = rate_test(x[0], x[0] + x[1], z[0], z[0] + z[1]).p_value;
    EXPECT_NEAR(found.p_value, exact, 0.35 * exact);
  }
}

}  // namespace arks
