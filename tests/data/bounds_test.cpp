#include "support/testing.h"

#include <cmath>
#include <limits>

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::normal;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

torch::Tensor row_of(std::vector<double> values) {
  return torch::tensor(values, torch::kDouble);
}

Bounds three() {
  return {row_of({0, -5, 2}), row_of({1, 5, 3})};
}

}  // namespace

TEST(Bounds, AcceptWhatLiesWithin) {
  check_within({0, 1}, torch::full({4, 3}, 0.5), "inputs");
  check_within({0, 1}, torch::tensor({0.0, 1.0}), "inputs");
  check_within({0, 1}, torch::empty({0, 3}), "inputs");
}

TEST(Bounds, RefuseWhatLiesOutsideAndSayHowFar) {
  const auto x = torch::tensor({{0.5, -0.25}, {2.5, 1.0}}, torch::kDouble);
  expect_error(
      [&] {
        check_within({0, 1}, x, "test images");
      },
      "test images are outside the given range [0, 1]: they span [-0.25, 2.5]");
  expect_error([] { check_within({0, 1}, torch::tensor({0.5, 1.5}), "inputs"); }, "they span [0.5, 1.5]");
  expect_error([] { check_within({0, 255}, torch::tensor({-1, 3}, torch::kLong), "inputs"); }, "they span [-1, 3]");
}

TEST(Bounds, RefuseWhatIsNotANumber) {
  expect_error(
      [] {
        check_within({0, 1}, torch::tensor({0.5, std::nan("")}, torch::kDouble), "inputs");
      },
      "inputs are outside the given range");
  expect_error(
      [] {
        check_within({0, 1}, torch::tensor({0.5, -kInfinity}, torch::kDouble), "inputs");
      },
      "they span [-inf, 0.5]");
}

TEST(Bounds, AreZeroToOneUnlessSaidOtherwise) {
  EXPECT_EQ(Bounds().low(), 0);
  EXPECT_EQ(Bounds().high(), 1);
  EXPECT_FALSE(Bounds().per_feature());
  EXPECT_TRUE(identical(Bounds(-2, 3).lows(), torch::tensor(-2.0, torch::kDouble)));
  EXPECT_TRUE(identical(Bounds(-2, 3).highs(), torch::tensor(3.0, torch::kDouble)));
}

TEST(Bounds, PerFeatureSpanWhatTheirRangesSpan) {
  EXPECT_TRUE(three().per_feature());
  EXPECT_EQ(three().low(), -5);
  EXPECT_EQ(three().high(), 5);
  EXPECT_TRUE(identical(three().lows(), row_of({0, -5, 2})));
  EXPECT_TRUE(identical(three().highs(), row_of({1, 5, 3})));
}

TEST(Bounds, PerFeatureClampEveryFeatureToItsOwnRange) {
  const auto u = torch::tensor({{9.0, 9.0, 9.0}, {-9.0, -9.0, -9.0}, {0.5, 0.5, 2.5}}, torch::kDouble);
  const auto expected = torch::tensor({{1.0, 5.0, 3.0}, {0.0, -5.0, 2.0}, {0.5, 0.5, 2.5}}, torch::kDouble);
  EXPECT_TRUE(identical(three().clamp(u), expected));
  EXPECT_TRUE(identical(three().clamp(u.to(torch::kFloat)), expected.to(torch::kFloat)));
}

TEST(Bounds, PerFeatureFitAnyShapeOfSample) {
  const auto u = 10 * normal({4, 3, 2, 2});
  const auto channels = [](std::vector<double> v) { return row_of(std::move(v)).view({3, 1, 1}); };
  const Bounds broad(channels({0, -5, 2}), channels({1, 5, 3}));
  const auto full = [&](const torch::Tensor& v) { return v.expand({3, 2, 2}).contiguous(); };
  const Bounds whole(full(broad.lows()), full(broad.highs()));
  const Bounds flat(whole.lows().flatten(), whole.highs().flatten());
  const auto clamped =
      torch::stack({u.select(1, 0).clamp(0, 1), u.select(1, 1).clamp(-5, 5), u.select(1, 2).clamp(2, 3)}, 1);
  for (const auto& bounds : {broad, whole, flat}) {
    EXPECT_TRUE(identical(bounds.clamp(u), clamped));
    check_within(bounds, clamped, "inputs");
  }
  // a list of numbers: samples without dimensions, of which the one value is the one feature
  const auto numbers = 10 * normal({6});
  EXPECT_TRUE(identical(Bounds(row_of({-1}), row_of({2})).clamp(numbers), numbers.clamp(-1, 2)));
}

TEST(Bounds, PerFeatureOfEqualRangesAreTheOnesOfOneRange) {
  const Bounds one(-1, 2), each(torch::full({5}, -1.0), torch::full({5}, 2.0));
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const auto u = (3 * normal({7, 5})).to(type), g = normal({7, 5}, 4).to(type);
    EXPECT_TRUE(identical(each.clamp(u), one.clamp(u)));
    EXPECT_TRUE(identical(each.followable(g, u), one.followable(g, u)));
  }
}

TEST(Bounds, LeaveOfAGradientWhatDoesNotLeadOut) {
  const auto u = torch::tensor({{1.0, 1.0, 2.0}}, torch::kDouble),
             g = torch::tensor({{1.0, 1.0, -1.0}}, torch::kDouble);
  EXPECT_TRUE(identical(three().followable(g, u), torch::tensor({{0.0, 1.0, 0.0}}, torch::kDouble)));
  EXPECT_TRUE(identical(three().followable(-g, u), torch::tensor({{-1.0, -1.0, 1.0}}, torch::kDouble)));
}

TEST(Bounds, AreNotChangedThroughTheTensorsTheyWereMadeOf) {
  auto low = row_of({0, 0});
  const Bounds bounds(low, row_of({1, 1}));
  low.fill_(7);
  EXPECT_TRUE(identical(bounds.lows(), row_of({0, 0})));
}

TEST(Bounds, RefuseShapesThatDoNotFit) {
  expect_error([] { Bounds(row_of({0, 0}), row_of({1, 1, 1})); }, "bounds: low has shape [2], high [3]");
  expect_error([] { Bounds(row_of({}), row_of({})); }, "bounds: the ranges per feature are empty");
  expect_error([] { Bounds(torch::Tensor(), row_of({1})); }, "bounds: the ranges per feature are empty");
  for (const auto& x : {torch::zeros({2, 4}), torch::zeros({2}), torch::zeros({2, 3, 2})}) {
    expect_error([&] { three().clamp(x); }, "bounds: shape [3] does not fit samples of shape ");
    expect_error([&] { check_within(three(), x, "inputs"); }, "bounds: shape [3] does not fit samples of shape ");
  }
  // torch would repeat the three values over both rows
  expect_error(
      [] {
        three().clamp(torch::zeros({5, 2, 3}));
      },
      "bounds: shape [3] does not fit samples of shape [2, 3]; expected that shape, with 1 for a dimension "
      "along which all values are the same, or a flat list of 6 values");
}

TEST(Bounds, RefuseRangesPerFeatureWithoutRoom) {
  check(three());
  check(Bounds(row_of({0, 2}), row_of({1, 2})));  // holds a feature still
  expect_error(
      [] {
        check(Bounds(row_of({0, 3}), row_of({1, 2})));
      },
      "bounds: need low <= high in every feature, got 3,2 for feature 1 (counted from 0)");
  expect_error([] { check(Bounds(row_of({0, std::nan("")}), row_of({1, 2}))); }, "for feature 1");
  expect_error([] { check(Bounds(row_of({0, 0}), row_of({kInfinity, 2}))); }, "got 0,inf for feature 0");
  expect_error([] { Box(Bounds(row_of({1}), row_of({0}))); }, "need low <= high in every feature");
}

TEST(Bounds, PerFeatureNameTheFeatureThatIsOutside) {
  const auto x = torch::tensor({{0.5, 0.0, 2.5}, {0.5, -7.5, 2.5}, {0.5, 6.0, 9.0}}, torch::kDouble);
  expect_error([&] { check_within(three(), x, "iris: inputs"); },
               "iris: inputs are outside the given range: feature 1 (counted from 0) spans [-7.5, 6], but its range is "
               "[-5, 5]; scale it or give a wider range");
  auto inside = x.slice(0, 0, 1).clone();
  check_within(three(), inside, "inputs");
  inside[0][2] = std::nan("");
  expect_error([&] { check_within(three(), inside, "inputs"); }, "feature 2 (counted from 0) spans [nan, nan]");
  const auto images = torch::zeros({2, 1, 2, 3}).index_put_({1, 0, 1, 2}, 4);
  expect_error(
      [&] {
        check_within(Bounds(torch::zeros({1, 2, 3}), torch::ones({1, 2, 3})), images, "inputs");
      },
      "feature [0, 1, 2] (counted from 0) spans [0, 4], but its range is [0, 1]");
}

TEST(Bounds, AreComparedAsTheSamplesStoreThem) {
  // 0.1 and 7.9 in float32 lie above the doubles, 0.3 below
  const auto x = torch::tensor({{0.1f, 7.9f}, {0.3f, 0.3f}});
  check_within({0.1, 7.9}, x, "inputs");
  check_within({row_of({0.1, 0.3}), row_of({0.3, 7.9})}, x, "inputs");
  check_within({0.3, 1}, torch::tensor({0.3f}), "inputs");
  expect_error([&] { check_within({0.1, 7.8999}, x, "inputs"); }, "outside the given range");
  expect_error([] { check_within({0, 0.1}, torch::tensor({0.1f}).to(torch::kDouble), "inputs"); }, "outside");
}

}  // namespace arks
