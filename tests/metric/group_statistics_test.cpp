#include "metric/group_statistics.h"

#include "support/testing.h"

#include <arks/support/random.h>

#include <cmath>

namespace arks {

namespace {

torch::Tensor groups_of_size(int64_t groups, int64_t size) {
  return torch::arange(groups * size).div(size, "floor").to(torch::kLong);
}

}  // namespace

/// Then whole groups are rows.
TEST(GroupStatistics, OfGroupsOfOneRowAreThoseOfRows) {
  const auto values = torch::tensor({1.0, 2.0, 4.0, 9.0});
  const double expected = standard_error(values);
  EXPECT_NEAR(*group_variance(values, torch::arange(4)), expected * expected, 1e-12);
}

/// Thirty copies of four rows are four rows, however the copies are numbered.
TEST(GroupStatistics, CopiesOfARowAreNoNewRows) {
  const auto rows = torch::tensor({1.0, 0.0, 0.0, 1.0});
  const auto copies = rows.repeat_interleave(30), groups = groups_of_size(4, 30) * 7 + 3;
  EXPECT_NEAR(*group_variance(copies, groups), *group_variance(rows, torch::arange(4)), 1e-12);
  EXPECT_EQ(group_count(groups), 4);
  const auto interval = group_interval(copies, groups);
  EXPECT_LT(interval->low, 0.1);
  EXPECT_GT(interval->high, 0.9);
  EXPECT_LT(fraction_interval(60, 120).high, 0.6);  // what rows would say that have nothing to do with each other
}

/// No row is wrong, so nothing shows how alike the rows of a group are.
TEST(GroupStatistics, WithoutErrorsOnlyGroupsCount) {
  const auto interval = group_interval(torch::zeros({120}), groups_of_size(4, 30));
  EXPECT_EQ(interval->low, 0);
  EXPECT_NEAR(interval->high, fraction_interval(0, 4).high, 1e-12);
}

TEST(GroupStatistics, OfOneGroupSayNothing) {
  const auto groups = torch::zeros({9}, torch::kLong);
  EXPECT_FALSE(group_variance(torch::rand({9}), groups));
  EXPECT_FALSE(group_interval(torch::ones({9}), groups));
  const auto test = paired_group_test(torch::rand({9}), groups);
  EXPECT_FALSE(test.interval);
  EXPECT_FALSE(test.p_value);
  EXPECT_GT(test.difference, 0);
  testing::expect_error([&] { group_variance(torch::rand({8}), groups); }, "groups");
}

/// The mean of 0.1 ten times is not 0.1: what rounding leaves is no spread.
TEST(GroupStatistics, OfEqualDifferencesSayNothing) {
  for (const double difference : {0.1, 0.3, -1e-3, 1e9 / 3, 0.0}) {
    const auto differences = torch::full({90}, difference, torch::kDouble);
    const auto test = paired_group_test(differences, groups_of_size(9, 10));
    EXPECT_FALSE(test.interval) << difference;
    EXPECT_FALSE(test.p_value) << difference;
    EXPECT_NEAR(test.difference, difference, 1e-12 * std::abs(difference));
  }
  // nor are groups of rows that differ a spread, when all have the same mean
  const auto within = torch::tensor({0.1, 0.2, 0.6}, torch::kDouble).repeat({9});
  EXPECT_FALSE(paired_group_test(within, groups_of_size(9, 3)).p_value);
}

/// Ten groups of twenty rows that are wrong together more often than not, drawn anew 400 times: the interval holds the
/// truth at least as often as it says, that of single rows far less often; two models that differ by chance alone are
/// told apart about as seldom as the p-value says.
TEST(GroupStatistics, HoldAsOftenAsTheySay) {
  auto generator = make_generator(5, Stream::kSamples);
  const auto groups = groups_of_size(10, 20);
  const auto rates = torch::tensor({0.05, 0.9}, torch::kDouble);
  const double truth = 0.5 * 0.05 + 0.5 * 0.9;
  const auto draw = [&] {
    const auto kinds = torch::randint(2, {10}, generator, torch::TensorOptions().dtype(torch::kLong));
    const auto chances = rates.index_select(0, kinds).repeat_interleave(20);
    return torch::bernoulli(chances, generator);
  };
  const int draws = 400;
  int held = 0, held_by_rows = 0, false_alarms = 0;
  for (int i = 0; i < draws; ++i) {
    const auto wrong = draw();
    const auto interval = *group_interval(wrong, groups);
    held += interval.low <= truth && truth <= interval.high ? 1 : 0;
    const auto by_rows = row_interval(wrong, 1);
    held_by_rows += by_rows.low <= truth && truth <= by_rows.high ? 1 : 0;
    const auto p_value = paired_group_test(draw() - wrong, groups).p_value;
    false_alarms += p_value && *p_value < 0.05 ? 1 : 0;
  }
  EXPECT_GE(held, 0.93 * draws);  // 95 %, less two deviations of 400 draws
  EXPECT_LE(held_by_rows, 0.6 * draws);
  EXPECT_LE(false_alarms, 0.075 * draws);
}

}  // namespace arks
