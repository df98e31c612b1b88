#include "data/splits.h"
#include "support/testing.h"

namespace arks {

using testing::expect_error;
using testing::identical;

TEST(Splits, DividesAllSamplesOnce) {
  const auto parts = divide(50, 0.3, 4, "x");
  EXPECT_EQ(parts.test.numel(), 15);
  const auto every = std::get<0>(torch::cat({parts.train, parts.test}).sort());
  EXPECT_TRUE(identical(every, torch::arange(50)));
  EXPECT_FALSE(identical(parts.test, divide(50, 0.3, 5, "x").test)) << "the seed decides";
  EXPECT_EQ(divide(5, 0.01, 0, "x").test.numel(), 1) << "at least one";
  for (const double fraction : {0.0, 1.0, -0.5}) {
    expect_error([&] { divide(5, fraction, 0, "x"); }, "test fraction must be between 0 and 1, got ");
  }
  expect_error([] { divide(1, 0.5, 0, "x"); }, "x: 1 row with a test fraction of 0.5 would leave no training sample");
}

TEST(Splits, DividesEveryClass) {
  const auto labels = torch::cat({torch::zeros({2}, torch::kLong), torch::ones({40}, torch::kLong)});
  for (const double fraction : {0.01, 0.25, 0.99}) {
    const auto parts = divide_by_class(labels, {"few", "many"}, fraction, 0, "x");
    EXPECT_TRUE(identical(std::get<0>(torch::cat({parts.train, parts.test}).sort()), torch::arange(42)));
    const auto counts = torch::bincount(labels.index_select(0, parts.test));
    EXPECT_EQ(counts[0].item<int64_t>(), 1) << "one of two in each part, whatever the fraction";
    EXPECT_EQ(counts[1].item<int64_t>(), fraction == 0.01 ? 1 : fraction == 0.25 ? 10 : 39);
  }
  expect_error(
      [&] {
        divide_by_class(torch::tensor({0, 1, 1}), {"a", "b"}, 0.5, 0, "x");
      },
      "x: class 'a' has 1 sample; two are needed");
}

TEST(Splits, DescribesFewClassesInFull) {
  EXPECT_EQ(describe_classes({"a", "b"}, {3, 4}), "2 classes (a 3, b 4)");
  const std::vector<std::string> many{"a", "b", "c", "d", "e", "f", "g"};
  EXPECT_EQ(describe_classes(many, {1, 2, 3, 4, 5, 6, 7}), "7 classes of 1 to 7 samples");
  EXPECT_EQ(describe_classes(many, {5, 5, 5, 5, 5, 5, 5}), "7 classes of 5 samples each");
}

TEST(Selection, IsAPartOfAnotherSetInItsOwnOrder) {
  const auto source = testing::toy_dataset(10, {2});
  const Selection part(source, torch::tensor({7, 2, 2}));
  EXPECT_EQ(part.size(), 3);
  EXPECT_EQ(part.info().name, source->info().name);
  EXPECT_TRUE(identical(part.get(torch::tensor({1, 0})).inputs, source->get(torch::tensor({2, 7})).inputs));
  expect_error(
      [&] {
        Selection(source, torch::tensor({3, 10}));
      },
      "has 10 samples, but numbers 3 to 10 were requested");
  expect_error([&] { Selection(source, torch::tensor({-1})); }, "has 10 samples, but numbers -1 to -1");
  expect_error([&] { Selection(source, torch::tensor({0.5})); }, "numbers of samples must be int64 of shape [n]");
}

}  // namespace arks
