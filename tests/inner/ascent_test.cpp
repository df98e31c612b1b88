#include "support/samples.h"
#include "support/testing.h"

#include <cmath>
#include <limits>

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

const std::vector<AscentRule> kAllRules{AscentRule::kSgd, AscentRule::kAdam, AscentRule::kAmsgrad, AscentRule::kSign,
                                        AscentRule::kNormalized};

/// A gradient that depends on the place and on time, so that no moment of it settles.
torch::Tensor varying_gradient(const torch::Tensor& u, int64_t step) {
  return std::cos(0.7 * static_cast<double>(step)) * (1 - u) + 0.3 * (3 * u).sin();
}

torch::Tensor ascended(const AscentOptions& options, torch::Tensor u, int64_t steps) {
  const auto ascent = make_ascent(options);
  for (int64_t step = 0; step < steps; ++step) u = ascent->advance(u, varying_gradient(u, step), step);
  return u;
}

/// The same steps by torch's own optimiser, which descends.
torch::Tensor ascended_by_torch(bool amsgrad, double rate, const torch::Tensor& start, int64_t steps) {
  auto u = start.clone().set_requires_grad(true);
  torch::optim::Adam optimizer({u}, torch::optim::AdamOptions(rate).amsgrad(amsgrad));
  for (int64_t step = 0; step < steps; ++step) {
    u.mutable_grad() = -varying_gradient(u.detach(), step);
    optimizer.step();
  }
  return u.detach();
}

}  // namespace

TEST(Ascent, SgdAddsUpMomentum) {
  const auto options = AscentOptions().rule(AscentRule::kSgd).learning_rate(0.1).momentum(0.5);
  const auto ascent = make_ascent(options);
  const auto one = [](double v) { return torch::full({1}, v, torch::kDouble); };
  auto u = ascent->advance(one(1), one(2), 0);  // v = 2
  EXPECT_NEAR(u.item<double>(), 1.2, 1e-15);
  u = ascent->advance(u, one(-3), 1);  // v = 1 − 3 = −2
  EXPECT_NEAR(u.item<double>(), 1.0, 1e-15);
  u = ascent->advance(u, one(4), 2);  // v = −1 + 4 = 3
  EXPECT_NEAR(u.item<double>(), 1.3, 1e-15);
}

TEST(Ascent, SgdWithoutMomentumFollowsTheGradient) {
  const auto options = AscentOptions().rule(AscentRule::kSgd).learning_rate(0.1).momentum(0);
  auto expected = normal({3, 4});
  const auto found = ascended(options, expected, 5);
  for (int64_t step = 0; step < 5; ++step) expected = expected + 0.1 * varying_gradient(expected, step);
  EXPECT_LT(max_difference(found, expected), 1e-15);
}

TEST(Ascent, AdamIsThatOfTheirPaper) {
  // Kingma and Ba 2015, algorithm 1, in scalars
  double u = 0.4, m = 0, v = 0;
  for (int64_t step = 0; step < 4; ++step) {
    const double g = varying_gradient(torch::full({1}, u, torch::kDouble), step).item<double>();
    const double t = static_cast<double>(step + 1);
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    u += 0.05 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
  }
  const auto options = AscentOptions().rule(AscentRule::kAdam).learning_rate(0.05);
  EXPECT_NEAR(ascended(options, torch::full({1}, 0.4, torch::kDouble), 4).item<double>(), u, 1e-14);
}

TEST(Ascent, AdamAndAmsgradAreThoseOfTorch) {
  const auto start = normal({3, 2, 4});
  for (const double rate : {1e-3, 0.05, 0.5}) {
    for (const bool amsgrad : {false, true}) {
      const auto options = AscentOptions().rule(amsgrad ? AscentRule::kAmsgrad : AscentRule::kAdam).learning_rate(rate);
      EXPECT_LT(max_difference(ascended(options, start, 20), ascended_by_torch(amsgrad, rate, start, 20)), 1e-12);
    }
  }
}

TEST(Ascent, AmsgradKeepsTheLargestSecondMoment) {
  // a gradient of 10 and then of 1: Adam's steps grow again, AMSGrad's do not
  const auto last_step = [](AscentRule rule) {
    const auto ascent = make_ascent(AscentOptions().rule(rule).learning_rate(0.1));
    auto u = torch::zeros({1}, torch::kDouble);
    torch::Tensor before;
    for (int64_t step = 0; step < 3000; ++step) {
      before = u;
      u = ascent->advance(u, torch::full({1}, step < 50 ? 10.0 : 1.0, torch::kDouble), step);
    }
    return (u - before).item<double>();
  };
  EXPECT_GT(last_step(AscentRule::kAdam), 0.07);
  EXPECT_LT(last_step(AscentRule::kAmsgrad), 0.05);
}

TEST(Ascent, SignStepsByTheScaleOfEveryFeature) {
  const auto scale = torch::tensor({1.0, 0.0, 4.0}, torch::kFloat);
  const auto ascent = make_ascent(AscentOptions().rule(AscentRule::kSign).learning_rate(0.25).step_scale(scale));
  const auto u = torch::zeros({2, 3}, torch::kDouble);
  const auto g = torch::tensor({{1e-20, 3.0, -5.0}, {-1.0, 3.0, 0.0}}, torch::kDouble);
  const auto expected = torch::tensor({{0.25, 0.0, -1.0}, {-0.25, 0.0, 0.0}}, torch::kDouble);
  EXPECT_TRUE(identical(ascent->advance(u, g, 0), expected));
}

TEST(Ascent, RefusesAStepScaleWithoutSignSteps) {
  expect_error([] { make_ascent(AscentOptions().step_scale(torch::ones({3}))); },
               "inner step scale can only be used with sign steps");
}

TEST(Ascent, SignStepsByTheLearningRateInEveryCoordinate) {
  const auto ascent = make_ascent(AscentOptions().rule(AscentRule::kSign).learning_rate(0.25));
  const auto u = torch::ones({2, 3}, torch::kDouble);
  const auto g = torch::tensor({{1e-30, -5.0, 0.0}, {-1e-300, 7.0, -2.0}}, torch::kDouble);
  const auto expected = torch::tensor({{1.25, 0.75, 1.0}, {0.75, 1.25, 0.75}}, torch::kDouble);
  EXPECT_TRUE(identical(ascent->advance(u, g, 0), expected));
}

TEST(Ascent, NormalizedStepsByTheLearningRateInEverySample) {
  const auto ascent = make_ascent(AscentOptions().rule(AscentRule::kNormalized).learning_rate(0.5));
  for (const auto& shape : std::vector<std::vector<int64_t>>{{5}, {5, 4}, {5, 2, 3}, {5, 2, 3, 2}}) {
    const auto u = normal(shape), g = 100 * normal(shape, 2);
    const auto moved = ascent->advance(u, g, 0) - u;
    EXPECT_LT(max_difference(sample_norms(moved), torch::full({5}, 0.5, torch::kDouble)), 1e-14);
    EXPECT_LT(max_difference(moved, g * per_sample(0.5 / sample_norms(g), g)), 1e-14);
  }
}

TEST(Ascent, NormalizedMovesBySmallGradientsToo) {
  // in float32 the square of 1e-30 is zero
  const auto ascent = make_ascent(AscentOptions().rule(AscentRule::kNormalized).learning_rate(0.5));
  const auto moved = ascent->advance(torch::zeros({1, 2}), torch::tensor({{3e-30f, -4e-30f}}), 0);
  EXPECT_LT(max_difference(moved, torch::tensor({{0.3, -0.4}}, torch::kDouble)), 1e-7);
}

TEST(Ascent, DoesNotMoveByAZeroGradient) {
  const auto u = normal({3, 4});
  for (const auto rule : kAllRules) {
    const auto ascent = make_ascent(AscentOptions().rule(rule));
    auto moved = u;
    for (int64_t step = 0; step < 3; ++step) moved = ascent->advance(moved, torch::zeros_like(u), step);
    EXPECT_TRUE(identical(moved, u)) << static_cast<int>(rule);
  }
}

TEST(Ascent, NormalizedMovesTheOthersWhenOneGradientIsZero) {
  const auto ascent = make_ascent(AscentOptions().rule(AscentRule::kNormalized).learning_rate(1));
  const auto u = torch::zeros({2, 2}, torch::kDouble);
  const auto g = torch::tensor({{0.0, 0.0}, {3.0, 4.0}}, torch::kDouble);
  EXPECT_LT(max_difference(ascent->advance(u, g, 0), torch::tensor({{0.0, 0.0}, {0.6, 0.8}}, torch::kDouble)), 1e-15);
}

TEST(Ascent, DecaysTheLearningRateAsOneOverRootT) {
  const auto one = torch::ones({1}, torch::kDouble);
  for (const auto rule : {AscentRule::kSgd, AscentRule::kSign, AscentRule::kNormalized}) {
    const auto ascent =
        make_ascent(AscentOptions().rule(rule).learning_rate(0.3).learning_rate_decay(true).momentum(0));
    for (int64_t step = 0; step < 5; ++step) {
      const auto moved = ascent->advance(torch::zeros_like(one), one, step);
      EXPECT_NEAR(moved.item<double>(), 0.3 / std::sqrt(static_cast<double>(step + 1)), 1e-15);
    }
  }
  // a constant gradient makes every bias-corrected step of Adam the learning rate
  for (const auto rule : {AscentRule::kAdam, AscentRule::kAmsgrad}) {
    const auto ascent = make_ascent(AscentOptions().rule(rule).learning_rate(0.3).learning_rate_decay(true));
    for (int64_t step = 0; step < 5; ++step) {
      const auto moved = ascent->advance(torch::zeros_like(one), one, step);
      EXPECT_NEAR(moved.item<double>(), 0.3 / std::sqrt(static_cast<double>(step + 1)), 1e-8);  // the 1e-8 in Adam
    }
  }
}

TEST(Ascent, MovesEverySampleByItsOwnGradient) {
  const auto u = normal({4, 3});
  for (const auto rule : kAllRules) {
    const auto options = AscentOptions().rule(rule).learning_rate(0.1);
    const auto together = ascended(options, u, 6);
    for (int64_t i = 0; i < 4; ++i) {
      // vectorised and scalar sine differ in the last bit
      EXPECT_LT(max_difference(ascended(options, u.narrow(0, i, 1), 6), together.narrow(0, i, 1)), 1e-14);
    }
  }
}

TEST(Ascent, ChangesNeitherThePointNorTheGradientItIsGiven) {
  for (const auto rule : kAllRules) {
    const auto ascent = make_ascent(AscentOptions().rule(rule));
    const auto u = normal({2, 3}), g = normal({2, 3}, 2);
    for (int64_t step = 0; step < 3; ++step) ascent->advance(u, g, step);
    EXPECT_TRUE(identical(u, normal({2, 3})));
    EXPECT_TRUE(identical(g, normal({2, 3}, 2)));
  }
}

TEST(Ascent, StaysInFloat32) {
  for (const auto rule : kAllRules) {
    const auto ascent = make_ascent(AscentOptions().rule(rule).learning_rate_decay(true));
    const auto u = torch::ones({2, 3});
    EXPECT_EQ(ascent->advance(ascent->advance(u, u, 0), u, 1).scalar_type(), torch::kFloat);
  }
}

TEST(Ascent, RefusesOptionsThatCannotBeUsed) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto refuses = [](const AscentOptions& options, const std::string& part) {
    expect_error([&] { check(options); }, part);
    expect_error([&] { make_ascent(options); }, part);
  };
  refuses(AscentOptions().steps(-1), "inner steps must not be negative, got -1");
  refuses(AscentOptions().learning_rate(0), "inner learning rate must be positive and finite, got 0");
  refuses(AscentOptions().learning_rate(-0.1), "inner learning rate must be positive and finite, got -0.1");
  refuses(AscentOptions().learning_rate(std::nan("")), "inner learning rate must be positive and finite, got nan");
  refuses(AscentOptions().learning_rate(infinity), "inner learning rate must be positive and finite, got inf");
  refuses(AscentOptions().momentum(1), "inner momentum must be in [0, 1), got 1");
  refuses(AscentOptions().momentum(-0.1), "inner momentum must be in [0, 1), got -0.1");
  refuses(AscentOptions().tolerance(-1e-3), "inner tolerance must be finite and not negative, got -0.001");
  refuses(AscentOptions().tolerance(std::nan("")), "inner tolerance must be finite and not negative, got nan");
  check(AscentOptions().steps(0).momentum(0).tolerance(0));
}

TEST(Ascent, KnowsItsRulesByName) {
  const auto names = ascent_rule_names();
  ASSERT_EQ(names.size(), kAllRules.size() + 1);
  for (size_t i = 0; i < kAllRules.size(); ++i) EXPECT_EQ(parse_ascent_rule(names[i]), kAllRules[i]) << names[i];
  EXPECT_EQ(parse_ascent_rule(names.back()), AscentRule::kLbfgs);
  expect_error([] { parse_ascent_rule("amsgrd"); }, "unknown inner optimiser 'amsgrd' (did you mean 'amsgrad'?)");
  expect_error([] { parse_ascent_rule("newton"); }, "known: sgd, adam, amsgrad, sign, normalized, lbfgs");
}

}  // namespace arks
