#include <arks/metric/classification.h>
#include <arks/metric/intervals.h>
#include <arks/metric/paired_test.h>
#include <arks/metric/regression.h>

#include "support/testing.h"

#include <cmath>

namespace arks {

/// Without errors the upper end solves (1−p)^n = α/2.
TEST(Intervals, OfNoErrorsHaveAClosedForm) {
  const auto none = fraction_interval(0, 100);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 1 - std::pow(0.025, 0.01), 1e-12);
  const auto all = fraction_interval(100, 100);
  EXPECT_EQ(all.high, 1);
  EXPECT_NEAR(all.low, std::pow(0.025, 0.01), 1e-12);
  testing::expect_error([] { fraction_interval(3, 2); }, "0 <= count <= n");
}

/// The same draw ten times is one draw.
TEST(Intervals, DoNotShrinkWhenDrawsOfARowAreAlike) {
  const auto rows = (torch::arange(200) < 30).to(torch::kDouble);
  const auto once = row_interval(rows, 1), often = row_interval(rows, 10), exact = fraction_interval(30, 200);
  EXPECT_NEAR(once.low, exact.low, 1e-12);
  EXPECT_NEAR(often.low, exact.low, 1e-12);
  EXPECT_NEAR(often.high, exact.high, 1e-12);
}

/// Draws that are independent count in full, never more.
TEST(Intervals, OfIndependentDrawsAreThoseOfAllDraws) {
  const auto alike = row_interval(torch::full({50}, 0.5, torch::kDouble), 4);
  EXPECT_NEAR(alike.low, fraction_interval(100, 200).low, 1e-12);
}

TEST(Intervals, StandardErrorIsThatOfTheMean) {
  EXPECT_NEAR(standard_error(torch::tensor({1.0, 2.0, 3.0, 4.0})), std::sqrt(5.0 / 3) / 2, 1e-7);
  EXPECT_TRUE(std::isnan(standard_error(torch::ones({1}))));
}

TEST(PairedTests, OfEqualModelsFindNothing) {
  const auto wrong = torch::arange(20) < 5;
  EXPECT_EQ(*mcnemar_test(wrong, wrong).p_value, 1);
  EXPECT_EQ(mcnemar_test(wrong, wrong).difference, 0);
  EXPECT_GT(*paired_t_test(testing::normal({30}, 1), testing::normal({30}, 2)).p_value, 0.05);
  const auto losses = torch::rand({9});
  EXPECT_EQ(*paired_t_test(losses, losses).p_value, 1);
  EXPECT_FALSE(paired_t_test(torch::ones({1}), torch::zeros({1})).p_value);
}

/// All six rows that differ speak for the second model: p = 2/2^6.
TEST(PairedTests, McNemarCountsTheRowsThatDiffer) {
  const auto first = torch::arange(40) < 6, second = torch::zeros({40}, torch::kBool);
  const auto found = mcnemar_test(first, second);
  EXPECT_NEAR(*found.p_value, 2.0 / 64, 1e-12);
  EXPECT_NEAR(found.difference, -6.0 / 40, 1e-12);
  EXPECT_LT(found.interval->low, found.difference);
  EXPECT_GT(found.interval->high, found.difference);
}

/// With all k rows that differ on one side the part π has the limit (α/2)^(1/k).
TEST(PairedTests, TheIntervalOfMcNemarAgreesWithItsPValue) {
  const auto none = torch::zeros({300}, torch::kBool);
  for (int64_t k = 0; k < 12; ++k) {
    const auto found = mcnemar_test(none, torch::arange(300) < k);
    EXPECT_EQ(found.interval->low > 0, *found.p_value < 0.05) << k << " rows";
    EXPECT_LE(found.interval->low, found.difference);
    EXPECT_GE(found.interval->high, found.difference);
    if (k == 0) continue;
    const auto rows = fraction_interval(static_cast<double>(k), 300);
    const double part = 2 * std::pow(0.025, 1.0 / static_cast<double>(k)) - 1;
    EXPECT_NEAR(found.interval->low, part * (part < 0 ? rows.high : rows.low), 1e-12);
    EXPECT_NEAR(found.interval->high, rows.high, 1e-12);
    const auto swapped = mcnemar_test(torch::arange(300) < k, none);
    EXPECT_NEAR(swapped.interval->low, -found.interval->high, 1e-12);
    EXPECT_NEAR(swapped.interval->high, -found.interval->low, 1e-12);
  }
}

TEST(PairedTests, RoundingIsNoDifference) {
  const auto losses = torch::linspace(0, 2, 200, torch::kDouble), noise = torch::full({200}, 6e-7, torch::kDouble);
  EXPECT_LT(*paired_t_test(losses, losses + noise).p_value, 1e-6) << "seen by a test that does not know of rounding";
  const auto same = paired_loss_test(losses, losses + noise, 1);
  EXPECT_EQ(*same.p_value, 1);
  EXPECT_EQ(same.difference, 0);
  // outputs of size 1 with a rounding of 2^-23, their errors squared: also where losses are small
  const auto error = torch::linspace(0, 0.05, 200, torch::kDouble);
  EXPECT_EQ(*paired_loss_test(error.square(), (error + 1.2e-7).square()).p_value, 1);
  const auto small = paired_loss_test(1e-8 * losses, 1.1e-8 * losses);
  EXPECT_LT(*small.p_value, 1e-6) << "in whatever unit squared errors are";
  EXPECT_NEAR(small.difference, 1e-9, 1e-12);
}

/// A width of 0 would say that the difference is known exactly.
TEST(PairedTests, TheSameDifferenceOnAllRowsHasNoInterval) {
  const auto none = paired_t_test(torch::ones({7}), torch::ones({7}));
  EXPECT_EQ(none.test, "sign");
  EXPECT_FALSE(none.interval);
  EXPECT_EQ(*none.p_value, 1);
  const auto base = torch::tensor({0.1, 0.2, 0.3, 0.4}, torch::kDouble);
  const auto few = paired_t_test(base, base + 0.7);
  EXPECT_NEAR(few.difference, 0.7, 1e-12);
  EXPECT_FALSE(few.interval) << "rounding is no spread";
  EXPECT_DOUBLE_EQ(*few.p_value, 0.125) << "four coins that fall alike";
  EXPECT_LT(*paired_t_test(torch::zeros({100}), torch::ones({100})).p_value, 1e-29);
  EXPECT_EQ(*paired_t_test(torch::zeros({2}), torch::ones({2})).p_value, 0.5);
  const auto one = paired_t_test(torch::zeros({1}), torch::ones({1}));
  EXPECT_FALSE(one.interval || one.p_value);
}

/// With two rows t has the distribution of Cauchy, p = 1 − (2/π)·atan|t|.
TEST(PairedTests, OfTwoRowsIsCauchys) {
  const auto found = paired_t_test(torch::zeros({2}), torch::tensor({1.0, 3.0}));
  EXPECT_NEAR(*found.p_value, 1 - 2 / M_PI * std::atan(2.0), 1e-12);
}

TEST(ClassificationMetricsTest, CountsAndAreasByHand) {
  const auto logits = torch::tensor({{2.0, 0.0}, {0.0, 1.0}, {0.0, 3.0}, {1.0, 0.0}});
  const auto found = classification_metrics(logits, torch::tensor({0, 0, 1, 1}, torch::kLong));
  EXPECT_EQ(found.confusion, (std::vector<std::vector<int64_t>>{{1, 1}, {1, 1}}));
  EXPECT_EQ(found.balanced_accuracy, 0.5);
  EXPECT_EQ(*found.auc, 0.75);
  EXPECT_FALSE(class_auc(logits, torch::zeros({4}, torch::kLong))) << "one class has no curve";
  EXPECT_EQ(*area_under_curve(torch::ones({4}), torch::tensor({true, false, true, false})), 0.5) << "all tied";
  const auto lost = torch::tensor({{2.0, std::nan("")}, {0.0, 1.0}, {0.0, 3.0}, {1.0, 0.0}});
  EXPECT_FALSE(class_auc(lost, torch::tensor({0, 0, 1, 1}, torch::kLong))) << "NaN has no rank";
}

/// From a margin of 37 on a probability is 1 in float64.
TEST(ClassificationMetricsTest, TheAreaKnowsMarginsThatProbabilitiesRoundAway) {
  const auto logits = torch::tensor({{60.0, 0.0, 0.0}, {50.0, 0.0, 0.0}, {0.0, 9.0, 0.0}, {0.0, 0.0, 9.0}});
  EXPECT_EQ(*class_auc(logits, torch::tensor({0, 1, 1, 2}, torch::kLong)), (1 + 0.75 + 1) / 3);
}

TEST(RegressionMetricsTest, AreInTheUsersUnits) {
  const auto y = torch::tensor({{1.0, 5.0}, {2.0, 5.0}, {3.0, 5.0}});
  const auto found = regression_metrics(y + torch::tensor({0.5, 1.0}), y, torch::tensor({10.0, 2.0}));
  EXPECT_NEAR(found.mae[0], 5, 1e-12);
  EXPECT_NEAR(found.mae[1], 2, 1e-12);
  EXPECT_NEAR(*found.r2[0], 1 - 0.75 / 2, 1e-12);
  EXPECT_FALSE(found.r2[1]) << "a constant target";
  EXPECT_EQ(regression_metrics(y.select(1, 0), y.narrow(1, 0, 1)).mae.size(), 1U);
}

}  // namespace arks
