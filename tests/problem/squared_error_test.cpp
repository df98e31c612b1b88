#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

TEST(SquaredError, SumsTheSquaresOfEverySample) {
  const auto p = torch::tensor({{1.0, 2.0}, {3.0, -1.0}, {0.5, 0.0}}, torch::kDouble);
  const auto y = torch::tensor({{0.0, 4.0}, {3.0, -1.0}, {0.0, 0.25}}, torch::kDouble);
  EXPECT_EQ(max_difference(SquaredError()(p, y), torch::tensor({5.0, 0.0, 0.3125}, torch::kDouble)), 0);
}

TEST(SquaredError, TakesAColumnForAVector) {
  const auto p = normal({7}), y = normal({7}, 2);
  const auto expected = (p - y).pow(2);
  EXPECT_EQ(max_difference(SquaredError()(p, y), expected), 0);
  EXPECT_EQ(max_difference(SquaredError()(p.unsqueeze(1), y), expected), 0);
  EXPECT_EQ(max_difference(SquaredError()(p, y.unsqueeze(1)), expected), 0);
  EXPECT_EQ(max_difference(SquaredError()(p.unsqueeze(1), y.unsqueeze(1)), expected), 0);
  EXPECT_EQ(SquaredError()(p.unsqueeze(1), y).dim(), 1);
}

TEST(SquaredError, ConvertsTheTargetsToTheTypeOfThePrediction) {
  const auto p = normal({5, 2}), y = normal({5, 2}, 2);
  const auto found = SquaredError()(p.to(torch::kFloat), y);
  EXPECT_EQ(found.scalar_type(), torch::kFloat);
  EXPECT_TRUE(identical(found, SquaredError()(p.to(torch::kFloat), y.to(torch::kFloat))));
  EXPECT_EQ(SquaredError()(p, y.to(torch::kFloat)).scalar_type(), torch::kDouble);
}

TEST(SquaredError, DerivativeMatchesDifferences) {
  const auto y = normal({6, 3}, 2);
  expect_derivative_matches([&](const torch::Tensor& p) { return SquaredError()(p, y); }, normal({6, 3}));
  expect_derivative_matches([&](const torch::Tensor& p) { return SquaredError()(p, y); }, y);  // at zero
  expect_derivative_matches([&](const torch::Tensor& p) { return SquaredError().log(p, y); }, normal({6, 3}));
}

TEST(SquaredError, HasTheLogarithmOfItself) {
  const auto p = normal({20, 2}), y = normal({20, 2}, 2);
  EXPECT_LT(max_difference(SquaredError().log(p, y), SquaredError()(p, y).log()), 1e-14);
}

TEST(SquaredError, HasAFloorUnderTheLogarithmOfZero) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    auto p = torch::ones({2, 1}, type).set_requires_grad(true);
    const auto log = SquaredError().log(p, torch::ones({2}, type));
    EXPECT_NEAR(log[0].item<double>(), std::log(1e-30), 1e-5);  // float32 holds 69.08 to 4e-6
    EXPECT_TRUE(identical(torch::autograd::grad({log.sum()}, {p})[0], torch::zeros({2, 1}, type)));
  }
}

TEST(SquaredError, KnowsNoRightAndWrong) {
  EXPECT_FALSE(SquaredError().wrong(normal({3}), normal({3})).defined());
}

TEST(SquaredError, RefusesShapesAndTypesThatDoNotFit) {
  const SquaredError criterion;
  expect_error(
      [&] {
        criterion(normal({4, 1}), normal({3}));
      },
      "targets must have the shape of the predictions [4, 1], got [3]");
  expect_error([&] { criterion(normal({4, 2}), normal({4})); }, "predictions [4, 2], got [4]");
  expect_error([&] { criterion(normal({4, 2}), normal({2, 4})); }, "got [2, 4]");
  expect_error([&] { criterion(normal({4, 2, 2}), normal({4, 2, 2})); }, "shape [n] or [n, outputs], got [4, 2, 2]");
  expect_error([&] { criterion(normal({}), normal({})); }, "got []");
  expect_error([&] { criterion(torch::ones({4}, torch::kLong), normal({4})); }, "of type Long");
  expect_error([&] { criterion(normal({4}), torch::ones({4}, torch::kLong)); },
               "targets must be floating point, got type Long; use cross entropy for class numbers");
}

}  // namespace arks
