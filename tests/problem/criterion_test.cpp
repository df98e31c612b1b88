#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_derivative_matches;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

/// (prediction − y)², with the logarithm and the wrongness of the base class.
class SquareForTest : public Criterion {
 public:
  torch::Tensor operator()(const torch::Tensor& prediction, const torch::Tensor& y) const override {
    return (prediction - y).pow(2);
  }
  std::shared_ptr<Criterion> clone() const override { return std::make_shared<SquareForTest>(*this); }
};

}  // namespace

TEST(Criterion, TakesTheLogarithmOfTheLoss) {
  const auto prediction = normal({20}), y = normal({20}, 2);
  EXPECT_LT(max_difference(SquareForTest().log(prediction, y), (prediction - y).pow(2).log()), 1e-14);
  expect_derivative_matches([&](const torch::Tensor& p) { return SquareForTest().log(p, y); }, prediction);
}

TEST(Criterion, HasAFloorUnderTheLogarithm) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    auto prediction = torch::ones({2}, type).set_requires_grad(true);
    const auto log = SquareForTest().log(prediction, torch::ones({2}, type));
    EXPECT_NEAR(log[0].item<double>(), std::log(1e-30), 1e-5);  // float32 holds 69.08 to 4e-6
    const auto slope = torch::autograd::grad({log.sum()}, {prediction})[0];
    EXPECT_TRUE(identical(slope, torch::zeros({2}, type)));
  }
}

TEST(Criterion, DoesNotHideNotANumberUnderTheFloor) {
  const auto nan = torch::full({1}, std::nan(""), torch::kDouble);
  EXPECT_TRUE(SquareForTest().log(nan, torch::zeros_like(nan)).isnan().item<bool>());
}

TEST(Criterion, KnowsNoRightAndWrongUnlessItSaysSo) {
  EXPECT_FALSE(SquareForTest().wrong(normal({3}), normal({3})).defined());
}

}  // namespace arks
