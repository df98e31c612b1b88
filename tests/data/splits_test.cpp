#include "data/splits.h"
#include "support/growth.h"
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

namespace {

std::vector<int64_t> sorted_numbers(const torch::Tensor& numbers) {
  const auto sorted = std::get<0>(numbers.sort()).contiguous();
  return {sorted.data_ptr<int64_t>(), sorted.data_ptr<int64_t>() + sorted.numel()};
}

Parts all_of(int64_t count) {
  return {torch::arange(count), {}, {}};
}

}  // namespace

TEST(Validation, TakesItsShareOfEveryClassAndLeavesTheRestInOrder) {
  const auto labels = torch::cat(
      {torch::zeros({30}, torch::kLong), torch::ones({10}, torch::kLong), torch::full({1}, 2, torch::kLong)});
  auto parts = all_of(41);
  split_off_validation(parts, labels, {}, ValidationOptions().fraction(0.2), "x");
  const auto counts = torch::bincount(labels.index_select(0, parts.validation), {}, 3);
  EXPECT_TRUE(identical(counts, torch::tensor({6, 2, 0}))) << counts;
  EXPECT_EQ(sorted_numbers(torch::cat({parts.train, parts.validation})), sorted_numbers(torch::arange(41)));
  EXPECT_TRUE(identical(parts.train, std::get<0>(parts.train.sort())));
  auto other = all_of(41);
  split_off_validation(other, labels, {}, ValidationOptions().fraction(0.2).seed(1), "x");
  EXPECT_FALSE(identical(parts.validation, other.validation)) << "the seed decides";
}

TEST(Validation, ManySmallClassesGiveAPartOfTheRightSize) {
  const auto labels = torch::arange(100).div(2, "floor");  // two samples of each of 50 classes
  auto parts = all_of(100);
  split_off_validation(parts, labels, {}, ValidationOptions().fraction(0.2), "x");
  EXPECT_EQ(parts.validation.numel(), 20);
  EXPECT_EQ(torch::bincount(labels.index_select(0, parts.train), {}, 50).min().item<int64_t>(), 1);
}

TEST(Validation, FoldsAreDisjointBalancedAndTogetherEverything) {
  const auto labels = torch::arange(23).remainder(2);
  std::vector<torch::Tensor> folds;
  for (int64_t fold = 0; fold < 5; ++fold) {
    auto parts = all_of(23);
    split_off_validation(parts, labels, {}, ValidationOptions().folds(5).fold(fold), "x");
    EXPECT_EQ(parts.train.numel() + parts.validation.numel(), 23);
    const auto counts = torch::bincount(labels.index_select(0, parts.validation), {}, 2);
    EXPECT_GE(counts.min().item<int64_t>(), 2) << fold;
    folds.push_back(parts.validation);
  }
  EXPECT_EQ(sorted_numbers(torch::cat(folds)), sorted_numbers(torch::arange(23)));
}

TEST(Validation, GroupsStayTogetherInEveryPart) {
  const auto groups = torch::arange(60).remainder(12);
  for (const uint64_t seed : {0U, 1U, 2U}) {
    auto parts = divide_by_group(groups, 0.25, seed, "x", "patient");
    split_off_validation(parts, {}, groups, ValidationOptions().fraction(0.25).seed(seed), "x");
    EXPECT_EQ(parts.test.numel(), 15);
    EXPECT_EQ(parts.validation.numel(), 10) << "11.25 wanted of groups of 5";
    EXPECT_EQ(sorted_numbers(torch::cat({parts.train, parts.test, parts.validation})),
              sorted_numbers(torch::arange(60)));
    const auto of = [&](const torch::Tensor& rows) { return groups.index_select(0, rows); };
    EXPECT_FALSE(torch::isin(of(parts.train), of(parts.test)).any().item<bool>());
    EXPECT_FALSE(torch::isin(of(parts.train), of(parts.validation)).any().item<bool>());
    EXPECT_FALSE(torch::isin(of(parts.test), of(parts.validation)).any().item<bool>());
  }
}

TEST(Validation, AGroupThatIsTooLargeStaysInTraining) {
  const auto groups = torch::cat({torch::zeros({250}, torch::kLong), torch::arange(50).div(5, "floor") + 1});
  for (uint64_t seed = 0; seed < 20; ++seed) {
    auto parts = divide_by_group(groups, 0.1, seed, "x", "patient");
    EXPECT_EQ(parts.test.numel(), 30) << seed;
    split_off_validation(parts, {}, groups, ValidationOptions().fraction(0.05).seed(seed), "x");
    EXPECT_EQ(parts.validation.numel(), 15) << seed;
  }
  const auto halves = torch::cat({torch::zeros({60}, torch::kLong), torch::ones({40}, torch::kLong)});
  EXPECT_EQ(divide_by_group(halves, 0.1, 0, "x", "patient").test.numel(), 40) << "the smallest, where none fits";
  EXPECT_EQ(divide_by_group(halves, 0.99, 0, "x", "patient").train.numel() % 20, 0) << "one group stays";
  auto one = all_of(100);
  split_off_validation(one, {}, torch::zeros({100}, torch::kLong), ValidationOptions().fraction(0.2).at_least(50), "x");
  EXPECT_FALSE(one.validation.defined()) << "a default divides no group";
}

/// One pass over all samples for each group or class would grow with the square.
TEST(Splits, DivideManyGroupsAndClasses) {
  const auto by_group = [](int64_t count) {
    const auto pairs = torch::arange(count).div(2, "floor");
    auto parts = divide_by_group(pairs, 0.2, 0, "x", "patient");
    EXPECT_EQ(parts.test.numel(), count / 5);
    split_off_validation(parts, {}, pairs, ValidationOptions().fraction(0.2), "x");
    EXPECT_EQ(parts.validation.numel(), count * 4 / 25);
  };
  const auto by_class = [](int64_t count) {
    const auto classes = torch::arange(count).div(40, "floor");
    const std::vector<std::string> names(static_cast<size_t>(count / 40), "name");
    EXPECT_EQ(divide_by_class(classes, names, 0.2, 0, "x").test.numel(), count / 5);
  };
  EXPECT_LT(testing::growth(by_group, 20000), 50);
  EXPECT_LT(testing::growth(by_class, 20000), 50);
}

TEST(Validation, RefusesWhatCannotBeDivided) {
  const auto off = [](int64_t count, const ValidationOptions& options, const torch::Tensor& groups = {}) {
    auto parts = all_of(count);
    split_off_validation(parts, {}, groups, options, "x");
    return parts.validation.defined();
  };
  expect_error([&] { off(10, ValidationOptions().folds(11)); },
               "x: 11 folds need as many training samples; there are 10");
  expect_error([&] { off(4, ValidationOptions().fraction(0.1)); }, "would be an empty validation part");
  expect_error([&] { off(4, ValidationOptions().fraction(1)); }, "validation fraction must be at least 0 and below 1");
  expect_error([&] { off(4, ValidationOptions().folds(2).fold(2)); }, "fold must be 0 to folds - 1, got 2 of 2");
  expect_error(
      [&] {
        off(4, ValidationOptions().folds(3), torch::tensor({0, 0, 1, 1}));
      },
      "x: 3 folds need as many groups; the training part has 2");
  expect_error([] { divide_by_group(torch::zeros({4}, torch::kLong), 0.5, 0, "x", "site"); },
               "x: the group column 'site' has one group only");
  EXPECT_FALSE(off(99, ValidationOptions().fraction(0.2).at_least(100)));
  EXPECT_TRUE(off(100, ValidationOptions().fraction(0.2).at_least(100)));
}

}  // namespace arks
