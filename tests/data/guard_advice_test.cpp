#include "data/guard_advice.h"

#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::normal;

namespace {

TensorDataset samples(torch::Tensor inputs, torch::Tensor targets, int64_t classes) {
  DatasetInfo info;
  info.name = "made up";
  info.num_classes = classes;
  return {std::move(inputs), std::move(targets), info};
}

}  // namespace

/// ARKS: l·exp(−t²/(2σ²)) and WRM: l − γt² of a loss that climbs by L₀ within r, looked for on a grid.
TEST(GuardReach, IsWhereALossThatClimbsWithinItIsMovedTo) {
  GuardReach reach;
  reach.length = 0.8;
  reach.blind_loss = 2.5;
  const auto best = [&](const auto& value) {
    double at = 0;
    for (double t = 0; t < 4; t += 0.001) at = value(t) > value(at) ? t : at;
    return at;
  };
  const auto loss = [&](double t) { return reach.blind_loss * t / reach.length; };
  const double sigma = reach.sigma(), gamma = *reach.gamma("sq-l2"), half = *reach.gamma("half-sq-l2");
  EXPECT_NEAR(best([&](double t) { return loss(t) * std::exp(-t * t / (2 * sigma * sigma)); }), 0.8, 0.01);
  EXPECT_NEAR(best([&](double t) { return loss(t) - gamma * t * t; }), 0.8, 0.02);
  EXPECT_NEAR(best([&](double t) { return loss(t) - half * t * t / 2; }), 0.8, 0.02);
  EXPECT_FALSE(reach.gamma("l2").has_value());
}

TEST(GuardReach, OfABallIsWithinTheLength) {
  GuardReach reach;
  reach.length = 3;
  reach.single = 1.5;
  EXPECT_EQ(reach.eps("linf"), 1.5);
  EXPECT_EQ(reach.eps("l2"), 3);
  EXPECT_EQ(reach.eps("l1"), 3);
}

TEST(GuardScale, GoesFromAReachToAStrengthAndBack) {
  const GuardReach reach{8, 2, 0.5};
  for (const auto& scale : {GuardScale::sigma(), GuardScale::gamma("sq-l2"), GuardScale::gamma("half-sq-l2"),
                            GuardScale::eps("linf"), GuardScale::eps("l2")}) {
    const auto strength = scale.covering(reach);
    ASSERT_TRUE(strength.has_value());
    EXPECT_NEAR(scale.length_of(*strength, reach, 16), 8, 0.05) << "strengths have two digits";
  }
  EXPECT_FALSE(GuardScale::gamma("l1").covering(reach).has_value());
}

TEST(GuardScale, SensibleStrengthsAreInOrder) {
  GuardAdvice advice;
  advice.inputs = 4;
  advice.apart = 10;
  EXPECT_EQ(advice.sensible(GuardScale::sigma()), std::make_pair(1.0, 5.0));
  EXPECT_EQ(advice.sensible(GuardScale::eps("linf")), std::make_pair(0.5, 2.5));
  EXPECT_EQ(advice.sensible(GuardScale::gamma("sq-l2")), std::make_pair(0.5, 0.02)) << "a larger price guards less";
}

/// The way back: of d inputs that move by eps each, the sample moves by eps·√d.
TEST(GuardReach, OfAnEpsGrowsWithTheRootOfTheInputs) {
  EXPECT_NEAR(GuardReach::length_of_eps(0.5, "linf", 16), 2, 1e-12);
  EXPECT_EQ(GuardReach::length_of_eps(0.5, "l2", 16), 0.5);
  GuardAdvice advice;
  advice.inputs = 16;
  advice.reach = GuardReach{8, 2, 0.7};
  const auto reach = advice.reach_of(2);
  EXPECT_EQ(reach.length, 2);
  EXPECT_EQ(reach.single, 0.5);
  EXPECT_EQ(reach.blind_loss, 0.7);
}

TEST(GuardReach, HasTwoDigits) {
  EXPECT_EQ(two_digits(0.07349), 0.073);
  EXPECT_EQ(two_digits(0.07), 0.07);
  EXPECT_EQ(two_digits(1.96), 2);
  EXPECT_EQ(two_digits(12345), 12000);
  EXPECT_EQ(two_digits(0), 0);
}

TEST(BlindLoss, IsEntropyOrVariance) {
  EXPECT_NEAR(blind_loss(torch::tensor({0, 1, 2, 3}, torch::kLong), 4), std::log(4), 1e-12);
  EXPECT_NEAR(blind_loss(torch::tensor({0, 0, 0, 1}, torch::kLong), 3),
              -(0.75 * std::log(0.75) + 0.25 * std::log(0.25)), 1e-12);
  EXPECT_NEAR(blind_loss(torch::tensor({1.0, 3.0, 5.0}), 0), 8.0 / 3, 1e-12);
  EXPECT_NEAR(blind_loss(torch::tensor({1.0, 0.0, 3.0, 4.0}).reshape({2, 2}), 0), 1 + 4, 1e-12);
}

TEST(GuardAdvice, IsAQuarterOfTheDistanceBetweenClasses) {
  // two rows of points, 0.1 from point to point and 2 from class to class
  const auto along = torch::arange(50).to(torch::kDouble) * 0.1;
  const auto left = torch::stack({torch::zeros({50}, torch::kDouble), along}, 1);
  const auto right = torch::stack({torch::full({50}, 2.0, torch::kDouble), along}, 1);
  const auto labels = torch::arange(100, torch::kLong).div(50, "floor");
  const auto advice = advise_guard(samples(torch::cat({left, right}), labels, 2));
  EXPECT_NEAR(advice.alike, 0.1, 1e-9);
  EXPECT_NEAR(advice.other, 2, 1e-9);
  EXPECT_NEAR(advice.apart, std::sqrt(4 - 0.01), 1e-9);
  ASSERT_TRUE(advice.reach.has_value());
  EXPECT_NEAR(advice.reach->length, advice.apart / 4, 1e-9);
  EXPECT_NEAR(advice.reach->single, advice.apart / 4 / std::sqrt(2), 1e-9);
  EXPECT_NEAR(advice.reach->blind_loss, std::log(2), 1e-12);
  EXPECT_EQ(advice.mixed, 0);
  EXPECT_FALSE(advice.overlap());
  EXPECT_EQ(advice.samples, 100);
  EXPECT_EQ(advice.inputs, 2);
}

/// The same samples with every input twice are √2 as far apart, and each input may move as far as before.
TEST(GuardAdvice, GrowsWithTheRootOfTheNumberOfInputs) {
  const auto x = normal({300, 5}, 1);
  const auto labels = (x.select(1, 0) > 0).to(torch::kLong);
  const auto once = advise_guard(samples(x, labels, 2)).reach.value();
  const auto four_times = advise_guard(samples(torch::cat({x, x, x, x}, 1), labels, 2)).reach.value();
  EXPECT_NEAR(four_times.length, 2 * once.length, 1e-6);
  EXPECT_NEAR(four_times.single, once.single, 1e-6);
}

/// Columns that have nothing to do with the class make all rows far apart, and must not make the guard strong.
TEST(GuardAdvice, DoesNotGrowWithInputsThatSayNothing) {
  const auto x = normal({1000, 100}, 1);
  const auto labels = (x.select(1, 0) + x.select(1, 1) > 0).to(torch::kLong);
  const auto few = advise_guard(samples(x.narrow(1, 0, 2), labels, 2)), many = advise_guard(samples(x, labels, 2));
  EXPECT_GT(many.other, 10) << "a quarter of that was the reach";
  EXPECT_GT(many.reach->length, 0.1);
  EXPECT_LT(many.reach->length, 0.6);
  EXPECT_NEAR(many.reach->length, few.reach->length, 0.3);
  EXPECT_GT(few.reach->length, 0.24 * few.other) << "where rows of one class are close, nothing changes";
}

/// Labels that have nothing to do with the inputs: a tenth of the distance, not none and not all of it.
TEST(GuardAdvice, IsWeakWhereNothingIsApart) {
  const auto x = normal({400, 20}, 4);
  const auto advice = advise_guard(samples(x, torch::arange(400, torch::kLong).remainder(2), 2));
  ASSERT_TRUE(advice.reach.has_value());
  EXPECT_GE(advice.apart, 0.1 * advice.other);
  EXPECT_LT(advice.apart, 0.25 * advice.other);
}

TEST(GuardAdvice, OfARegressionLooksForTargetsADeviationAway) {
  // targets 0, 1, 2, 3 at 0, 1, 2, 3: the deviation is 1.118, so the next but one is the nearest other
  const auto x = torch::arange(4).to(torch::kDouble).unsqueeze(1);
  const auto advice = advise_guard(samples(x, x.clone(), 0));
  EXPECT_NEAR(advice.alike, 1, 1e-9);
  EXPECT_NEAR(advice.apart, std::sqrt(3), 1e-9);
  EXPECT_NEAR(advice.other, 2, 1e-9);
  EXPECT_FALSE(advice.classes);
}

TEST(GuardAdvice, SeesWhereClassesOverlap) {
  const auto x = normal({400, 2}, 4);
  const auto labels = torch::arange(400, torch::kLong).remainder(2);  // have nothing to do with the inputs
  const auto advice = advise_guard(samples(x, labels, 2));
  EXPECT_NEAR(advice.mixed, 0.5, 0.1);
  EXPECT_TRUE(advice.overlap());
  const auto apart = advise_guard(samples(x + 10 * labels.unsqueeze(1), labels, 2));
  EXPECT_EQ(apart.mixed, 0);
}

TEST(GuardAdvice, SaysWhyThereIsNone) {
  const auto x = torch::ones({10, 3});
  const auto labels = torch::arange(10, torch::kLong).remainder(2);
  const auto coincide = advise_guard(samples(x, labels, 2));
  EXPECT_FALSE(coincide.reach.has_value());
  EXPECT_EQ(coincide.why_not, "the nearest samples of another class are not apart from each other");
  EXPECT_FALSE(advise_guard(samples(normal({10, 3}), torch::zeros({10}, torch::kLong), 2)).reach.has_value());
}

TEST(GuardAdvice, LooksAtAPartOfManySamples) {
  const auto x = normal({5000, 3}, 2);
  const auto labels = (x.select(1, 0) > 0).to(torch::kLong);
  const auto set = samples(x, labels, 2);
  const auto advice = advise_guard(set);
  EXPECT_EQ(advice.samples, 2000);
  EXPECT_EQ(advise_guard(set).other, advice.other) << "the same part every time";
  EXPECT_EQ(advise_guard(samples(normal({300, 100000}, 3), labels.narrow(0, 0, 300), 2)).samples, 200);
}

}  // namespace arks
