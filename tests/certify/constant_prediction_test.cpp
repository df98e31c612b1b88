#include "certify/constant_prediction.h"
#include "support/testing.h"

#include <cmath>

namespace arks {

namespace {

DatasetPtr set_of(const torch::Tensor& targets, int64_t classes) {
  DatasetInfo info;
  info.name = "set";
  info.num_classes = classes;
  return std::make_shared<TensorDataset>(torch::zeros({targets.size(0), 2}), targets, info);
}

Certificate of(Quantity quantity) {
  Certificate certificate;
  certificate.quantity = quantity;
  return certificate;
}

}  // namespace

/// Frequencies are those of the whole part, losses those of the samples.
TEST(ConstantPredictionTest, PredictsTheClassFrequencies) {
  const auto all = set_of(torch::tensor({0, 0, 0, 1}), 2);
  const auto samples = limited(all, 2);
  const auto found = constant_prediction(*all, *samples, of(Quantity::kLoss));
  EXPECT_NEAR(*found.quantity, -std::log(0.75), 1e-12);
  EXPECT_EQ(*found.error, 0);
  EXPECT_NEAR(*constant_prediction(*all, *all, of(Quantity::kLoss)).quantity,
              -0.75 * std::log(0.75) - 0.25 * std::log(0.25), 1e-12);
  EXPECT_EQ(*constant_prediction(*all, *all, of(Quantity::kLoss)).error, 0.25);
  EXPECT_NEAR(*constant_prediction(*all, *samples, of(Quantity::kLogLoss)).quantity, std::log(-std::log(0.75)), 1e-12);
  auto clipped = of(Quantity::kLoss);
  clipped.floor = 0.4;
  clipped.cap = 1;
  EXPECT_NEAR(*constant_prediction(*all, *all, clipped).quantity, 0.75 * 0.4 + 0.25, 1e-12);
  const auto one = constant_prediction(*samples, *samples, of(Quantity::kLoss));
  EXPECT_FALSE(one.quantity || one.error) << "one class says nothing";
}

TEST(ConstantPredictionTest, PredictsTheMeanOfEachTarget) {
  const auto all = set_of(torch::tensor({{1.0, 0.0}, {3.0, 4.0}}).to(torch::kFloat), 0);
  const auto found = constant_prediction(*all, *all, of(Quantity::kLoss));
  EXPECT_NEAR(*found.quantity, 1 + 4, 1e-12);
  EXPECT_FALSE(found.error);
  const auto equal = set_of(torch::ones({3}), 0);
  EXPECT_FALSE(constant_prediction(*equal, *equal, of(Quantity::kLogLoss)).quantity) << "the logarithm of 0";
}

}  // namespace arks
