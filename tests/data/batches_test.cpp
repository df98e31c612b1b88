#include "data/batches.h"
#include "support/testing.h"

namespace arks {

using testing::expect_error;
using testing::identical;

namespace {

/// Sample i has the target i.
TensorDataset counting(int64_t count) {
  DatasetInfo info;
  info.name = "counting";
  return TensorDataset(torch::zeros({count, 1}), torch::arange(count, torch::kLong), info);
}

/// The numbers of the samples in the order of the batches.
torch::Tensor order_of(const Batches& batches) {
  std::vector<torch::Tensor> targets;
  for (int64_t i = 0; i < batches.count(); ++i) targets.push_back(batches.get(i).targets);
  return torch::cat(targets);
}

torch::Tensor shuffled_order(int64_t count, uint64_t seed, LastBatch last = LastBatch::kKeep) {
  const auto dataset = counting(count);
  const auto generator = make_generator(seed, Stream::kShuffle);
  return order_of(Batches(dataset, 7, last, &generator));
}

}  // namespace

TEST(Batches, FollowTheFileWithoutAGenerator) {
  const auto dataset = counting(10);
  EXPECT_TRUE(identical(order_of(Batches(dataset, 3)), torch::arange(10, torch::kLong)));
}

TEST(Batches, KeepAShortLastBatch) {
  const auto dataset = counting(10);
  const Batches batches(dataset, 4);
  ASSERT_EQ(batches.count(), 3);
  EXPECT_EQ(batches.get(1).targets.size(0), 4);
  EXPECT_TRUE(identical(batches.get(2).targets, torch::tensor({8, 9}, torch::kLong)));
}

TEST(Batches, DropAShortLastBatch) {
  const auto dataset = counting(10);
  const Batches batches(dataset, 4, LastBatch::kDrop);
  ASSERT_EQ(batches.count(), 2);
  EXPECT_TRUE(identical(order_of(batches), torch::arange(8, torch::kLong)));
}

TEST(Batches, AreTheSameEitherWayWhenTheLastIsFull) {
  const auto dataset = counting(12);
  EXPECT_EQ(Batches(dataset, 4, LastBatch::kKeep).count(), 3);
  EXPECT_EQ(Batches(dataset, 4, LastBatch::kDrop).count(), 3);
}

TEST(Batches, HoldEverySampleExactlyOnceWhenShuffled) {
  const auto order = shuffled_order(100, 5);
  EXPECT_FALSE(torch::equal(order, torch::arange(100, torch::kLong)));
  EXPECT_TRUE(identical(std::get<0>(order.sort()), torch::arange(100, torch::kLong)));
}

TEST(Batches, HoldNoSampleTwiceWhenTheLastIsDropped) {
  const auto order = shuffled_order(100, 5, LastBatch::kDrop);
  EXPECT_EQ(order.size(0), 98);
  EXPECT_EQ(std::get<0>(at::_unique(order)).size(0), 98);
}

TEST(Batches, RepeatTheOrderOfTheSameSeed) {
  EXPECT_TRUE(identical(shuffled_order(100, 5), shuffled_order(100, 5)));
}

TEST(Batches, HaveAnotherOrderForAnotherSeed) {
  EXPECT_FALSE(torch::equal(shuffled_order(100, 5), shuffled_order(100, 6)));
}

TEST(Batches, HaveAnotherOrderInEachPassOfOneGenerator) {
  const auto dataset = counting(100);
  const auto generator = make_generator(5, Stream::kShuffle);
  const auto first = order_of(Batches(dataset, 7, LastBatch::kKeep, &generator));
  const auto second = order_of(Batches(dataset, 7, LastBatch::kKeep, &generator));
  EXPECT_FALSE(torch::equal(first, second));
}

TEST(Batches, GiveTheSameBatchWhenAskedTwice) {
  const auto dataset = counting(20);
  const auto generator = make_generator(5, Stream::kShuffle);
  const Batches batches(dataset, 6, LastBatch::kKeep, &generator);
  EXPECT_TRUE(identical(batches.get(1).targets, batches.get(1).targets));
}

TEST(Batches, TakeASubset) {
  const auto source = std::make_shared<TensorDataset>(counting(20));
  const Subset subset(source, 5);
  const auto generator = make_generator(5, Stream::kShuffle);
  const auto order = order_of(Batches(subset, 2, LastBatch::kKeep, &generator));
  EXPECT_TRUE(identical(std::get<0>(order.sort()), torch::arange(5, torch::kLong)));
}

TEST(Batches, MayBeLargerThanTheSet) {
  const auto dataset = counting(5);
  const Batches batches(dataset, 100);
  ASSERT_EQ(batches.count(), 1);
  EXPECT_EQ(batches.get(0).targets.size(0), 5);
}

TEST(Batches, RefuseASetThatFillsNoBatch) {
  const auto dataset = counting(5);
  expect_error([&] { Batches(dataset, 6, LastBatch::kDrop); }, "counting: 5 samples do not fill one batch of 6");
}

TEST(Batches, RefuseASizeThatIsNotPositive) {
  const auto dataset = counting(5);
  expect_error([&] { Batches(dataset, 0); }, "batch size must be positive, got 0");
  expect_error([&] { Batches(dataset, -3); }, "batch size must be positive, got -3");
}

TEST(Batches, RefuseANumberBeyondTheLast) {
  const auto dataset = counting(5);
  const Batches batches(dataset, 2);
  expect_error([&] { batches.get(3); }, "there is no batch 3; there are 3");
  expect_error([&] { batches.get(-1); }, "there is no batch -1; there are 3");
}

}  // namespace arks
