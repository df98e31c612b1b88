#include "study/spread.h"

#include <cmath>

#include "support/testing.h"

namespace arks::study {

using testing::expect_error;

TEST(Spread, IsMeanDeviationAndErrorOfTheMean) {
  const auto found = spread({2, 4, 4, 4, 5, 5, 7, 9});  // Σ(v−5)² = 32
  EXPECT_DOUBLE_EQ(found.mean, 5);
  EXPECT_DOUBLE_EQ(found.deviation, std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(found.error, std::sqrt(32.0 / 7 / 8));
  EXPECT_EQ(found.count, 8);
}

TEST(Spread, OfOneValueIsTheValueWithoutDeviation) {
  const auto found = spread({3.5});
  EXPECT_EQ(found.mean, 3.5);
  EXPECT_EQ(found.deviation, 0);
  EXPECT_EQ(found.error, 0);
  EXPECT_EQ(found.count, 1);
}

TEST(Spread, HasRoomForLargeValues) {
  const auto found = spread({1.5e308, 1.7e308});
  EXPECT_DOUBLE_EQ(found.mean, 1.6e308);
  EXPECT_NEAR(found.deviation / 1e307, std::sqrt(2.0), 1e-12);
}

TEST(Spread, DoesNotDependOnTheOrder) {
  EXPECT_EQ(spread({0.1, 0.2, 0.3}).mean, spread({0.3, 0.2, 0.1}).mean);
  EXPECT_EQ(spread({0.1, 0.2, 0.3}).deviation, spread({0.2, 0.3, 0.1}).deviation);
}

TEST(Spread, RefusesNoValuesAndThoseThatAreNotFinite) {
  expect_error([] { spread({}); }, "at least one value, got none");
  expect_error([] { spread({1, std::nan(""), 2}); }, "value 2 of 3 is nan");
  expect_error([] { spread({1, INFINITY}); }, "value 2 of 2 is inf");
}

}  // namespace arks::study
