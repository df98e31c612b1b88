#include "data/far_numbers.h"

#include "support/testing.h"

#include <algorithm>

namespace arks {

TEST(FarNumbers, AreBeyondTheRangeByMoreThanItsWidth) {
  EXPECT_EQ(far_numbers({0, 10, 19, -9, 12, 20}, 0, 10).count, 0);
  const auto codes = far_numbers({3, -9999, 4, -9999, 25}, 0, 10);
  EXPECT_EQ(codes.count, 3);
  EXPECT_EQ(codes.farthest, -9999);
  EXPECT_EQ(far_numbers({3, -99}, 0, 10).count, 1) << "nines";
  EXPECT_EQ(far_numbers({3, 70}, 0, 10).count, 0) << "one that may be the end of a tail";
  EXPECT_EQ(far_numbers({3, 70, 70}, 0, 10).count, 2) << "no tail has the same number twice";
  EXPECT_EQ(far_numbers({3, 111}, 0, 10).count, 1) << "ten times the width";
  EXPECT_EQ(far_numbers({3, -9999}, 2, 2).count, 0);
}

/// Of one distribution with a long tail there is hardly ever one.
TEST(FarNumbers, AreNotThoseOfALongTail) {
  int found = 0;
  for (int64_t seed = 0; seed < 200; ++seed) {
    const auto draw = [&](int64_t which) {
      const auto values = testing::normal({300}, 2 * seed + which).exp().to(torch::kDouble).contiguous();
      return std::vector<double>(values.data_ptr<double>(), values.data_ptr<double>() + 300);
    };
    const auto training = draw(0);
    const auto [low, high] = std::minmax_element(training.begin(), training.end());
    found += far_numbers(draw(1), *low, *high).count > 0 ? 1 : 0;
  }
  EXPECT_LE(found, 2);
}

}  // namespace arks
