#include "support/testing.h"

#include <torch/nn/functional/loss.h>

#include <cmath>

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::max_difference;
using testing::normal;

namespace {

/// Two logits whose margin is m exactly: (m, 0) with the second class the true one.
torch::Tensor logits_of_margins(const torch::Tensor& m) {
  return torch::stack({m, torch::zeros_like(m)}, 1);
}

torch::Tensor second_class(const torch::Tensor& m) {
  return torch::ones({m.size(0)}, torch::kLong);
}

torch::Tensor log_at(const torch::Tensor& m) {
  return CrossEntropy().log(logits_of_margins(m), second_class(m));
}

torch::Tensor plain_at(const torch::Tensor& m) {
  return CrossEntropy()(logits_of_margins(m), second_class(m));
}

torch::Tensor labels(int64_t n, int64_t classes) {
  return torch::arange(n, torch::kLong).remainder(classes);
}

}  // namespace

TEST(CrossEntropy, EqualsTorch) {
  namespace functional = torch::nn::functional;
  const auto none = functional::CrossEntropyFuncOptions().reduction(torch::kNone);
  for (const int64_t classes : {2, 3, 10}) {
    for (const double scale : {0.1, 1.0, 10.0, 100.0}) {
      const auto z = scale * normal({64, classes});
      const auto y = labels(64, classes);
      // torch subtracts logits from a logarithm of their size, so it is good to their rounding: 1e-16 × 400
      EXPECT_LT(max_difference(CrossEntropy()(z, y), functional::cross_entropy(z, y, none)), 1e-13 * (1 + scale));
    }
  }
}

TEST(CrossEntropy, LogIsTheLogarithmOfThePlainForm) {
  const auto z = 3 * normal({200, 5});
  const auto y = labels(200, 5);
  EXPECT_LT(max_difference(CrossEntropy().log(z, y), CrossEntropy()(z, y).log()), 1e-13);
}

TEST(CrossEntropy, KeepsItsRelativePrecisionWhenConfident) {
  // softplus(m) = e^m − e^2m/2 + …, so to rounding it is e^m·(1 − e^m/2 + e^2m/3) for all m ≤ −9
  const auto m = torch::linspace(-80, -9, 500, torch::kDouble);
  const auto expected = m.exp() * (1 - m.exp() / 2 + (2 * m).exp() / 3);
  EXPECT_LT(max_difference(plain_at(m) / expected, torch::ones_like(m)), 1e-12);
  // float32: the arguments are exact in both types, what is left is the rounding of exp and log1p
  const auto single = m.to(torch::kFloat);
  const auto reference = plain_at(single.to(torch::kDouble));
  EXPECT_LT(max_difference(plain_at(single) / reference, torch::ones_like(m)), 1e-6);
}

TEST(CrossEntropy, LogIsFiniteAndMonotoneFromMinusToPlusEightHundred) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const auto m = torch::arange(-800, 800.5, 0.125, torch::kDouble).to(type);
    const auto found = log_at(m);
    EXPECT_EQ(found.scalar_type(), type);
    EXPECT_TRUE(found.isfinite().all().item<bool>());
    EXPECT_TRUE((found.diff() > 0).all().item<bool>());
  }
}

TEST(CrossEntropy, LogTendsToTheMargin) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const auto m = torch::tensor({-40.0, -100.0, -300.0, -800.0}, type);
    EXPECT_EQ(max_difference(log_at(m), m), 0);
  }
}

TEST(CrossEntropy, LogTendsToTheLogarithmOfTheMargin) {
  const auto m = torch::tensor({40.0, 100.0, 800.0}, torch::kDouble);
  EXPECT_LT(max_difference(log_at(m), m.log()), 1e-15);
}

TEST(CrossEntropy, LogInFloat32IsThatInFloat64) {
  const auto m = torch::arange(-60, 60, 0.0625, torch::kDouble);
  const auto error = (log_at(m.to(torch::kFloat)).to(torch::kDouble) - log_at(m)).abs();
  // two roundings of a number of that size
  EXPECT_TRUE((error <= 2.4e-7 * log_at(m).abs().clamp_min(1)).all().item<bool>()) << error.max().item<double>();
}

TEST(CrossEntropy, LogDoesNotJumpAtTheSwitch) {
  const double below = std::nextafter(-15.0, -16.0);
  const auto found = log_at(torch::tensor({below, -15.0}, torch::kDouble));
  EXPECT_NEAR(found[0].item<double>(), found[1].item<double>(), 1e-13);  // the series' own error, 5/24·e^−30
}

TEST(CrossEntropy, DerivativesMatchDifferences) {
  for (const double m : {-30.0, -15.0 - 1e-3, -15.0 + 1e-3, -5.0, -1e-3, 0.0, 1e-3, 5.0, 30.0}) {
    const auto at = torch::tensor({m}, torch::kDouble);
    expect_derivative_matches(log_at, at);
    expect_derivative_matches(plain_at, at);
  }
  const auto z = 2 * normal({6, 4});
  const auto y = labels(6, 4);
  expect_derivative_matches([&](const torch::Tensor& u) { return CrossEntropy().log(u, y); }, z);
  expect_derivative_matches([&](const torch::Tensor& u) { return CrossEntropy()(u, y); }, z);
}

TEST(CrossEntropy, DerivativesMatchDifferencesAtTies) {
  for (const int64_t classes : {2, 3, 7}) {
    for (const double level : {0.0, 1.0, -50.0}) {
      const auto z = torch::full({classes, classes}, level, torch::kDouble);
      const auto y = labels(classes, classes);
      expect_derivative_matches([&](const torch::Tensor& u) { return CrossEntropy().log(u, y); }, z);
      expect_derivative_matches([&](const torch::Tensor& u) { return CrossEntropy()(u, y); }, z);
    }
  }
}

TEST(CrossEntropy, GradientKeepsItsRelativePrecisionWhenConfident) {
  // ∂CE/∂m = 1/(1 + e^−m), ∂ ln CE/∂m → 1
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const double precision = type == torch::kFloat ? 1e-6 : 1e-12;
    auto m = torch::linspace(-80, 80, 641, torch::kDouble).to(type).set_requires_grad(true);
    const auto plain = torch::autograd::grad({plain_at(m).sum()}, {m})[0];
    const auto exact = m.detach().to(torch::kDouble).sigmoid();
    EXPECT_LT(max_difference(plain / exact, torch::ones_like(m)), precision);
    const auto log = torch::autograd::grad({log_at(m).sum()}, {m})[0];
    const auto double_m = m.detach().to(torch::kDouble);
    EXPECT_LT(max_difference(log, exact / plain_at(double_m)), precision);
  }
}

TEST(CrossEntropy, GradientOfTheLogarithmIsAtMostRootTwo) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const double slack = type == torch::kFloat ? 1e-6 : 1e-14;
    for (const int64_t classes : {2, 3, 10}) {
      for (const double scale : {1e-6, 0.1, 1.0, 10.0, 100.0, 1e4, 1e30}) {
        auto z = (scale * normal({300, classes})).to(type).set_requires_grad(true);
        const auto slope = torch::autograd::grad({CrossEntropy().log(z, labels(300, classes)).sum()}, {z})[0];
        const auto norm = slope.to(torch::kDouble).norm(2, 1);
        EXPECT_TRUE(norm.isfinite().all().item<bool>()) << scale;
        EXPECT_LE(norm.max().item<double>(), std::sqrt(2.0) + slack) << scale;
      }
    }
  }
}

TEST(CrossEntropy, CallsWrongWhatIsNotTheLargestLogit) {
  const auto z = torch::tensor({{1.0, 2.0, 0.0}, {1.0, 2.0, 0.0}, {-3.0, -2.0, -1.0}}, torch::kDouble);
  const auto wrong = CrossEntropy().wrong(z, torch::tensor({1, 0, 2}, torch::kLong));
  EXPECT_TRUE(testing::identical(wrong, torch::tensor({false, true, false})));
}

TEST(CrossEntropy, CallsWrongWhatIsNotANumber) {
  const auto z = torch::full({2, 3}, std::nan(""), torch::kDouble);
  EXPECT_TRUE(CrossEntropy().wrong(z, torch::tensor({0, 1}, torch::kLong)).all().item<bool>());
}

TEST(CrossEntropy, RefusesWhatAreNoLogits) {
  const auto y = labels(4, 2);
  expect_error([&] { CrossEntropy()(normal({4}), y); },
               "logits must be floating point of shape [n, classes >= 2], got [4]");
  expect_error([&] { CrossEntropy()(normal({4, 1}), y); }, "got [4, 1]");
  expect_error([&] { CrossEntropy()(normal({4, 2, 2}), y); }, "got [4, 2, 2]");
  expect_error([&] { CrossEntropy()(torch::ones({4, 2}, torch::kLong), y); }, "of type Long");
}

TEST(CrossEntropy, RefusesWhatAreNoLabels) {
  const auto z = normal({4, 3});
  expect_error([&] { CrossEntropy()(z, labels(5, 3)); }, "labels must be int64 of shape [4], got [5]");
  expect_error([&] { CrossEntropy()(z, labels(4, 3).unsqueeze(1)); }, "got [4, 1]");
  expect_error([&] { CrossEntropy().log(z, labels(4, 3).to(torch::kInt)); }, "of type Int");
  expect_error([&] { CrossEntropy().wrong(z, normal({4})); }, "of type Double");
  expect_error(
      [&] {
        CrossEntropy()(z, torch::tensor({0, 1, 2, 3}, torch::kLong));
      },
      "labels must be in 0..2 for 3 classes, they span 0..3");
  expect_error([&] { CrossEntropy().log(z, torch::tensor({0, 1, -1, 2}, torch::kLong)); }, "they span -1..2");
  expect_error([&] { CrossEntropy().wrong(z, torch::tensor({0, 1, 9, 2}, torch::kLong)); }, "they span 0..9");
}

TEST(CrossEntropy, GivesNothingForNothing) {
  const auto loss = CrossEntropy()(torch::zeros({0, 3}), labels(0, 3));
  EXPECT_EQ(loss.sizes(), torch::IntArrayRef({0}));
}

}  // namespace arks
