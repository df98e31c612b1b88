#include "data/part_shares.h"

#include "support/testing.h"

namespace arks {

namespace {

DataSplits parts_of(int64_t train, int64_t validation, int64_t test) {
  DataSplits splits;
  splits.train = testing::toy_dataset(train, {2}, 2);
  if (validation > 0) splits.validation = testing::toy_dataset(validation, {2}, 2);
  splits.test = testing::toy_dataset(test, {2}, 2);
  splits.divided = true;
  return splits;
}

}  // namespace

TEST(PartShares, ThatAreNearWhatWasAskedAreLeftOut) {
  EXPECT_TRUE(other_shares(parts_of(64, 16, 20), 0.2, 0.2).empty());
  EXPECT_TRUE(other_shares(parts_of(72, 0, 28), 0.2, 0).empty()) << "1.4 times as many";
  EXPECT_TRUE(other_shares(parts_of(64, 30, 6), 0, 0).empty()) << "nothing was asked";
}

TEST(PartShares, ThatAreFarFromItAreNamed) {
  const auto found = other_shares(parts_of(30, 30, 40), 0.2, 0.2);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].part, "test");
  EXPECT_EQ(found[0].of, 100);
  EXPECT_DOUBLE_EQ(found[0].share(), 0.4);
  EXPECT_EQ(found[1].part, "validation");
  EXPECT_EQ(found[1].samples, 30);
  EXPECT_EQ(found[1].of, 60) << "of what is not for testing";
  EXPECT_EQ(other_shares(parts_of(90, 0, 10), 0.2, 0).size(), 1U) << "half of it";
}

TEST(PartShares, ATestPartThatWasGivenApartHasNone) {
  auto splits = parts_of(64, 16, 200);
  splits.divided = false;
  EXPECT_TRUE(other_shares(splits, 0.2, 0.2).empty());
}

}  // namespace arks
