#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_error;

TEST(Interval, OfErrorsEqualsTheBooks) {
  // 10 of 100: (0.1 + 0.019208 ± 1.96·√(0.0009 + 0.000096))/(1.038415), worked by hand
  const auto ten = error_interval(10, 100);
  EXPECT_NEAR(ten.low, 0.05522914, 1e-7);
  EXPECT_NEAR(ten.high, 0.17436566, 1e-7);
}

TEST(Interval, OfErrorsStaysWithinZeroAndOneAndIsMirrored) {
  const auto none = error_interval(0, 92), all = error_interval(92, 92);
  EXPECT_EQ(none.low, 0);
  EXPECT_GT(none.high, 0.01);
  EXPECT_EQ(all.high, 1);
  EXPECT_NEAR(all.low, 1 - none.high, 1e-12);
}

TEST(Interval, OfErrorsHoldsTheTruthAboutAsOftenAsItSays) {
  auto generator = make_generator(1, Stream::kSamples);
  const double truth = 0.1;
  const int64_t trials = 4000, n = 92;
  const auto errors = (torch::rand({trials, n}, generator, torch::kDouble) < truth).sum(1);
  int64_t held = 0;
  for (int64_t i = 0; i < trials; ++i) {
    const auto interval = error_interval(errors[i].item<int64_t>(), n);
    held += interval.low <= truth && truth <= interval.high ? 1 : 0;
  }
  const double share = static_cast<double>(held) / static_cast<double>(trials);
  EXPECT_GT(share, 0.93);
  EXPECT_LT(share, 0.98);
}

TEST(Interval, OfPairsIsNarrowerThanThatOfTwoGroupsWhenErrorsAgree) {
  const auto a = torch::cat({torch::ones({30}), torch::zeros({62})});
  const auto b = torch::cat({torch::ones({20}), torch::zeros({72})});
  const auto found = paired_difference(a, b);
  EXPECT_DOUBLE_EQ(found.mean, 10.0 / 92);
  EXPECT_GT(found.interval.low, 0) << "ten samples worse and none better is no chance";
  EXPECT_LT(found.interval.high, 0.2);
  const auto mirrored = paired_difference(b, a);
  EXPECT_DOUBLE_EQ(mirrored.interval.low, -found.interval.high);
}

TEST(Interval, OfPairsHasAWidthWhereAllAgree) {
  const auto same = torch::ones({92});
  const auto found = paired_difference(same, same);
  EXPECT_EQ(found.mean, 0);
  // by hand: two differences of ±1 among 94
  EXPECT_NEAR(found.interval.high, 1.959963984540054 * std::sqrt(2.0 / 94 / 94), 1e-12);
}

TEST(Interval, RefusesWhatIsNoCount) {
  expect_error([] { error_interval(3, 2); }, "3 errors of 2 samples");
  expect_error([] { error_interval(0, 0); }, "0 errors of 0 samples");
  expect_error([] { paired_difference(torch::zeros({3}), torch::zeros({4})); }, "two lists of the same length");
}

}  // namespace arks
