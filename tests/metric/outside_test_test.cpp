#include "metric/outside_test.h"

#include "support/testing.h"

namespace arks {

using testing::expect_error;
using testing::normal;

TEST(OutsideTest, IsTheShareOfAllOrders) {
  const auto below = outside_test({1, 2, 3}, {-1, 0, 2.5});
  EXPECT_EQ(below.statistic, 2);
  EXPECT_DOUBLE_EQ(below.p_value, 2 * (3. / 6) * (2. / 5));
  EXPECT_DOUBLE_EQ(outside_test({1, 2, 3}, {4, 5, 6, 7}).p_value, 2. / 35) << "one order of 7 over 3 on each side";
  EXPECT_EQ(outside_test({1, 2, 3}, {1, 3, 2}).p_value, 1) << "equal to the least is not below";
  EXPECT_EQ(outside_test({1, 2, 3}, {0, 2, 4}).statistic, 2) << "both sides";
  expect_error([] { outside_test({}, {1}); }, "values on both sides");
}

/// p ≤ α no more often than in α of the samples of one distribution, whatever the sizes and the tails.
TEST(OutsideTest, KeepsItsLevel) {
  for (const auto& [m, n] : {std::pair{20, 200}, std::pair{100, 100}, std::pair{200, 20}}) {
    constexpr int kSets = 600;
    int found = 0;
    for (int set = 0; set < kSets; ++set) {
      const auto draw = [&](int64_t count, int64_t seed) {
        const auto values = (3 * normal({count}, seed)).exp().to(torch::kDouble).contiguous();
        return std::vector<double>(values.data_ptr<double>(), values.data_ptr<double>() + count);
      };
      found += outside_test(draw(m, 2 * set), draw(n, 2 * set + 1)).p_value <= 0.05 ? 1 : 0;
    }
    EXPECT_LE(found, 46) << "of 600, 30 at most are expected: " << m << " and " << n;
  }
}

}  // namespace arks
