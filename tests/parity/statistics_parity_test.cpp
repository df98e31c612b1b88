#include <arks/metric/classification.h>
#include <arks/metric/intervals.h>
#include <arks/metric/paired_test.h>
#include <arks/metric/regression.h>

#include "metric/group_statistics.h"
#include "parity/reference.h"

namespace arks {

TEST(StatisticsParity, MetricsAndTestsAreThoseOfTheirDefinitions) {
  const testing::Reference reference(ARKS_PARITY_FOLDER "/statistics_reference.pt");
  const auto value = [&](const char* name) { return reference[name].item<double>(); };
  const auto logits = reference["logits"], labels = reference["labels"];
  const auto metrics = classification_metrics(logits, labels);
  EXPECT_NEAR(*metrics.auc, value("auc"), 1e-12);
  EXPECT_NEAR(metrics.balanced_accuracy, value("balanced_accuracy"), 1e-12);
  EXPECT_NEAR(*class_auc(logits.narrow(1, 0, 2), labels.clamp_max(1)), value("binary_auc"), 1e-12);
  EXPECT_NEAR(*paired_t_test(reference["first"], reference["second"]).p_value, value("t_p_value"), 1e-8);
  const auto numbers = regression_metrics(reference["guess"], reference["target"]);
  for (int64_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(*numbers.r2[static_cast<size_t>(i)], reference["r2"][i].item<double>(), 1e-12);
    EXPECT_NEAR(numbers.mae[static_cast<size_t>(i)], reference["mae"][i].item<double>(), 1e-12);
  }
  const auto one = torch::arange(50) < 3, two = torch::arange(50) >= 38;  // 3 and 12 rows apart
  const auto apart = mcnemar_test(one, two);
  EXPECT_NEAR(*apart.p_value, value("mcnemar"), 1e-12);
  EXPECT_NEAR(apart.interval->low, reference["mcnemar_interval"][0].item<double>(), 1e-9);
  EXPECT_NEAR(apart.interval->high, reference["mcnemar_interval"][1].item<double>(), 1e-9);
  const std::vector<std::pair<int, int>> counts{{0, 20}, {3, 50}, {25, 50}, {17, 17}, {1, 300}};
  for (size_t i = 0; i < counts.size(); ++i) {
    const auto expected = reference["intervals"][static_cast<int64_t>(i)];
    const auto found = fraction_interval(counts[i].first, counts[i].second);
    EXPECT_NEAR(found.low, expected[0].item<double>(), 1e-9);
    EXPECT_NEAR(found.high, expected[1].item<double>(), 1e-9);
  }
}

TEST(StatisticsParity, RowsInGroupsAreThoseOfTheirDefinitions) {
  const testing::Reference reference(ARKS_PARITY_FOLDER "/statistics_reference.pt");
  const auto groups = reference["groups"], wrong = reference["wrong"];
  EXPECT_NEAR(*group_variance(wrong, groups), reference["group_variance"].item<double>(), 1e-12);
  const auto interval = group_interval(wrong, groups);
  EXPECT_NEAR(interval->low, reference["group_interval"][0].item<double>(), 1e-6);
  EXPECT_NEAR(interval->high, reference["group_interval"][1].item<double>(), 1e-6);
  const auto test = paired_group_test(reference["second"] - reference["first"], groups);
  EXPECT_NEAR(*test.p_value, reference["group_p_value"].item<double>(), 1e-8);
}

}  // namespace arks
