#include "support/testing.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace arks {

using testing::expect_error;

namespace {

EpochMetrics full() {
  EpochMetrics metrics;
  metrics.epoch = 3;
  metrics.train_error = 1.0 / 3;
  metrics.train_loss = 0.1 + 0.2;  // no short decimal
  metrics.adversarial_loss = 1e-300;
  metrics.surrogate = 2.5;
  metrics.mean_kernel = std::exp(-1.0);
  metrics.mean_cost = 12345.678901234567;
  metrics.mmd = 0.1 + 1e-17;
  metrics.test_error = 0.0;
  metrics.test_loss = 4.0 / 7;
  metrics.learning_rate = 1e-3;
  metrics.seconds = 1.25;
  metrics.images_per_second = 60000 / 7.0;
  return metrics;
}

void expect_equal(const EpochMetrics& one, const EpochMetrics& two) {
  EXPECT_EQ(one.epoch, two.epoch);
  EXPECT_EQ(one.train_error, two.train_error);
  EXPECT_EQ(one.train_loss, two.train_loss);
  EXPECT_EQ(one.adversarial_loss, two.adversarial_loss);
  EXPECT_EQ(one.surrogate, two.surrogate);
  EXPECT_EQ(one.mean_kernel, two.mean_kernel);
  EXPECT_EQ(one.mean_cost, two.mean_cost);
  EXPECT_EQ(one.mmd, two.mmd);
  EXPECT_EQ(one.watched_accuracy, two.watched_accuracy);
  EXPECT_EQ(one.test_error, two.test_error);
  EXPECT_EQ(one.test_loss, two.test_loss);
  EXPECT_EQ(one.learning_rate, two.learning_rate);
  EXPECT_EQ(one.seconds, two.seconds);
  EXPECT_EQ(one.images_per_second, two.images_per_second);
}

}  // namespace

TEST(EpochMetrics, ReadBackExactly) {
  expect_equal(epoch_metrics_from_json(to_json(full())), full());
}

TEST(EpochMetrics, ReadBackWithIntervals) {
  auto metrics = full();
  metrics.validation_interval = Interval{0.1, 1.0 / 3};
  metrics.test_interval = Interval{0, 2.0 / 3};
  const auto line = to_json(metrics);
  EXPECT_NE(line.find("\"test_error_low\":0.0,"), std::string::npos) << line;
  const auto found = epoch_metrics_from_json(line);
  ASSERT_TRUE(found.validation_interval && found.test_interval);
  EXPECT_EQ(found.validation_interval->low, 0.1);
  EXPECT_EQ(found.validation_interval->high, 1.0 / 3);
  EXPECT_EQ(found.test_interval->high, 2.0 / 3);
}

TEST(EpochMetrics, ReadBackWithWhatIsNotThere) {
  EpochMetrics metrics;
  metrics.epoch = 1;
  metrics.train_loss = 2;
  const auto line = to_json(metrics);
  EXPECT_NE(line.find("\"test_error\":null"), std::string::npos) << line;
  expect_equal(epoch_metrics_from_json(line), metrics);
}

TEST(EpochMetrics, AreOneLineWithTheNamesThatWereGivenOnce) {
  const auto line = to_json(full());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  std::vector<std::string> names;
  const auto json = nlohmann::ordered_json::parse(line);
  for (const auto& item : json.items()) names.push_back(item.key());
  const std::vector<std::string> expected{
      "epoch", "train_error", "train_loss", "adversarial_loss", "surrogate", "mean_kernel",      "mean_cost",
      "mmd",   "test_error",  "test_loss",  "learning_rate",    "seconds",   "images_per_second"};
  EXPECT_EQ(names, expected);
}

TEST(EpochMetrics, HoldAWatchedAccuracyOnlyWhereThereIsOne) {
  auto metrics = full();
  EXPECT_EQ(to_json(metrics).find("watched"), std::string::npos) << "lines from before have none and still read";
  EXPECT_EQ(describe(metrics).find("watched"), std::string::npos);
  metrics.watched_accuracy = 2.0 / 3;
  expect_equal(epoch_metrics_from_json(to_json(metrics)), metrics);
  EXPECT_NE(describe(metrics).find(", watched accuracy 66.67 % | test"), std::string::npos) << describe(metrics);
}

/// The sign of what is no number depends on the processor.
TEST(EpochMetrics, NeverPrintMinusNan) {
  auto metrics = full();
  metrics.train_loss = metrics.surrogate = -std::numeric_limits<double>::quiet_NaN();
  metrics.test_loss = metrics.adversarial_loss = metrics.train_loss;
  EXPECT_EQ(describe(metrics).find("-nan"), std::string::npos) << describe(metrics);
  EXPECT_NE(describe(metrics).find("loss nan, adversarial nan, surrogate nan"), std::string::npos) << describe(metrics);
  TrainSummary summary;
  summary.epochs = {metrics};
  EXPECT_EQ(summary.full_report().find("-nan"), std::string::npos) << summary.full_report();
}

TEST(EpochMetrics, ReadBackWhenALossIsNotANumber) {
  // a random start can leave the clean loss infinite while the surrogate is fine; JSON has no word for it but null
  auto metrics = full();
  metrics.train_loss = std::numeric_limits<double>::infinity();
  const auto line = to_json(metrics);
  EXPECT_TRUE(std::isnan(epoch_metrics_from_json(line).train_loss));
  EXPECT_EQ(to_json(epoch_metrics_from_json(line)), line);
}

TEST(EpochMetrics, RefuseOtherLines) {
  for (const std::string line : {"", "{}", "[1,2]", "nonsense", "{\"epoch\":\"one\"}"}) {
    expect_error([&] { epoch_metrics_from_json(line); }, "not a line of metrics: " + line);
  }
  auto half = to_json(full());
  half.resize(half.size() / 2);
  expect_error([&] { epoch_metrics_from_json(half); }, "not a line of metrics");
}

TEST(EpochMetrics, DescribeThemselvesInPercent) {
  const auto text = describe(full());
  EXPECT_EQ(text.find("epoch 3: train error 33.33 %, loss 0.3"), 0u) << text;
  EXPECT_NE(text.find("kernel 0.3679"), std::string::npos) << text;
  EXPECT_NE(text.find("test error 0.00 %"), std::string::npos) << text;
  EpochMetrics bare;
  bare.epoch = 1;
  EXPECT_EQ(describe(bare).find("test"), std::string::npos);
}

TEST(EpochMetrics, DescribeARegressionByItsLoss) {
  auto metrics = full();
  metrics.train_error = metrics.test_error = std::nullopt;
  const auto text = describe(metrics);
  EXPECT_EQ(text.find("epoch 3: train loss 0.3,"), 0u) << text;
  EXPECT_NE(text.find(" | test loss 0.5714 | "), std::string::npos) << text;
  EXPECT_EQ(text.find("error"), std::string::npos) << text;
}

}  // namespace arks
