#include "data/tabular.h"
#include "data/tables.h"

#include <algorithm>
#include <cmath>

namespace arks {

using testing::all;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::numbered;
using testing::parse;
using testing::raw;
using testing::rows_in;

TEST(DataTable, TakesTheLastColumnUnlessAnotherIsNamed) {
  const std::string text = "a,kind,b\n1,x,0.5\n2,y,1.5\n3,x,2.5\n";
  const auto named = parse(text, TabularOptions().target("kind"));
  EXPECT_EQ(named.target, "kind");
  EXPECT_TRUE(identical(named.inputs, torch::tensor({{1.0, 0.5}, {2.0, 1.5}, {3.0, 2.5}}, torch::kDouble)));
  EXPECT_TRUE(identical(named.targets, torch::tensor({0, 1, 0}, torch::kLong)));
  EXPECT_EQ(named.info.class_names, (std::vector<std::string>{"x", "y"}));
  const auto last = parse("a,b\n1,0.5\n2,1.5\n");
  EXPECT_EQ(last.target, "b");
  EXPECT_EQ(last.info.num_classes, 0);
  EXPECT_TRUE(identical(last.targets, torch::tensor({0.5, 1.5}, torch::kDouble)));
  expect_error([&] { parse(text, TabularOptions().target("knid")); }, "no column 'knid' (did you mean 'kind'?)");
}

TEST(DataTable, FindsTheTask) {
  EXPECT_EQ(parse("a,y\n1,no\n2,yes\n").info.num_classes, 2) << "text";
  EXPECT_EQ(parse("a,y\n1,0\n2,1\n3,5\n").info.num_classes, 3) << "whole numbers, few of them";
  EXPECT_EQ(parse("a,y\n1,0\n2,1\n3,1.5\n").info.num_classes, 0) << "not whole";
  std::string twenty = "a,y\n", more = "a,y\n";
  for (int i = 0; i < 60; ++i) {
    twenty += c10::str(i, ",", i % 20, "\n");
    more += c10::str(i, ",", i % 21, "\n");
  }
  EXPECT_EQ(parse(twenty).info.num_classes, 20);
  EXPECT_EQ(parse(more).info.num_classes, 0);
  EXPECT_EQ(parse(more, TabularOptions().task(Task::kClassification)).info.num_classes, 21);
  EXPECT_EQ(parse(twenty, TabularOptions().task(Task::kRegression)).info.num_classes, 0);
}

TEST(DataTable, NumbersClassesInTheOrderOfTheirValues) {
  const auto numbers = parse("a,y\n1,10\n2,9\n3,-1\n4,9\n");
  EXPECT_EQ(numbers.info.class_names, (std::vector<std::string>{"-1", "9", "10"}));
  EXPECT_TRUE(identical(numbers.targets, torch::tensor({2, 1, 0, 1}, torch::kLong)));
  const auto texts = parse("a,y\n1,b\n2,c\n3,a\n");
  EXPECT_TRUE(identical(texts.targets, torch::tensor({1, 2, 0}, torch::kLong)));
}

TEST(DataTable, RefusesATargetOfTextsAndNumbersUnlessTheTaskIsGiven) {
  const std::string text = "a,y\n1,3\n2,x\n3,4\n";
  expect_error([&] { parse(text); }, "t.csv, line 3: the target 'y' holds the text 'x' among 2 numbers");
  EXPECT_EQ(parse(text, TabularOptions().task(Task::kClassification)).info.class_names,
            (std::vector<std::string>{"3", "4", "x"}));
  expect_error([&] { parse(text, TabularOptions().task(Task::kRegression)); },
               "t.csv, line 3: column 'y' holds the text 'x'; expected a number");
}

TEST(DataTable, TakesUnitsOffTargets) {
  const auto prices = parse("a,y\n1,\"$1,000.50\"\n2,$2.25\n3,$3\n");
  EXPECT_EQ(prices.info.num_classes, 0);
  EXPECT_TRUE(identical(prices.targets, torch::tensor({1000.5, 2.25, 3.0}, torch::kDouble)));
  EXPECT_EQ(prices.notes, (std::vector<std::string>{"column 'y' is read as numbers in $"}));
  const std::string weights = "a,y\n1,12 kg\n2,15 kg\n3,12 kg\n";
  EXPECT_EQ(parse(weights).info.class_names, (std::vector<std::string>{"12 kg", "15 kg"})) << "few whole numbers";
  const auto regression = TabularOptions().task(Task::kRegression);
  EXPECT_TRUE(identical(parse(weights, regression).targets, torch::tensor({12.0, 15.0, 12.0}, torch::kDouble)));
  expect_error(
      [&] { parse("a,y\n1,12 kg\n2,15 kg\n3,12 g\n", regression); },
      "t.csv, line 4: column 'y' holds the text '12 g' among 2 numbers with the unit 'kg'; mend the cell, or use "
      "--task classification");
  const auto two = parse("a,u,v\n1,1.5,3 %\n2,2,5 %\n", TabularOptions().target("u,v"));
  EXPECT_TRUE(identical(two.targets, torch::tensor({{1.5, 3.0}, {2.0, 5.0}}, torch::kDouble)));
  EXPECT_EQ(two.target_units, (std::vector<std::string>{"", "%"}));
}

TEST(DataTable, RefusesWhatCannotBeLearned) {
  expect_error([] { parse("a,y\n1,x\n2,x\n"); }, "t.csv: the target 'y' holds only one class, 'x'");
  expect_error([] { parse("a,y\n1,5\n2,5\n"); }, "only one class, '5'");
  expect_error([] { parse("y\n1\n2\n"); },
               "t.csv: only one column, 'y'; at least one column of inputs and one of targets");
  expect_error([] { parse("a,y\n1,x\n2,\n"); }, "t.csv, line 3: the target 'y' is empty");
  expect_error([] { parse("a,y\n1,0\n2,nan\n"); }, "t.csv, line 3: the target 'y' is missing ('nan'), one of 1 cell");
  expect_error([] { parse("a,y\n1,0\n2,inf\n"); }, "t.csv, line 3: column 'y' is infinite");
  std::string names = "a,y\n";
  for (int i = 0; i < 30; ++i) names += c10::str(i, ",name ", i, "\n");
  expect_error([&] { parse(names); }, "the target 'y' has 30 classes in 30 rows; is it the right column?");
}

TEST(SplitTable, GivesEveryRowToOnePart) {
  const auto splits = split_table(numbered(50), raw(), true);
  EXPECT_EQ(splits.train->size(), 40);
  EXPECT_EQ(splits.test->size(), 10);
  auto rows = rows_in(splits.train);
  EXPECT_FALSE(std::is_sorted(rows.begin(), rows.end()));
  const auto test = rows_in(splits.test);
  rows.insert(rows.end(), test.begin(), test.end());
  std::sort(rows.begin(), rows.end());
  for (int64_t i = 0; i < 50; ++i) EXPECT_EQ(rows[static_cast<size_t>(i)], i);
}

TEST(SplitTable, KeepsInputsAndTargetsTogether) {
  for (const auto& part : {split_table(numbered(50), raw(), true).train, split_table(numbered(50), raw(), true).test}) {
    const auto batch = all(part);
    EXPECT_EQ(batch.inputs.scalar_type(), torch::kFloat);
    EXPECT_EQ(batch.targets.scalar_type(), torch::kFloat);
    EXPECT_EQ(max_difference(batch.inputs.select(1, 0) * 10, batch.targets), 0);
    EXPECT_EQ(max_difference(batch.inputs.select(1, 0) * 2 + 1, batch.inputs.select(1, 1)), 0);
  }
}

TEST(SplitTable, DependsOnTheSplitSeedAlone) {
  const auto rows = [](uint64_t seed) {
    return rows_in(split_table(numbered(50), raw().split_seed(seed), true).train);
  };
  torch::manual_seed(1);
  const auto one = rows(3);
  torch::manual_seed(2);
  EXPECT_EQ(rows(3), one);
  EXPECT_NE(rows(4), one);
}

TEST(SplitTable, TakesTheFirstOfTheTrainingPartUnderALimit) {
  const auto whole = split_table(numbered(50), raw(), true);
  const auto limited = split_table(numbered(50), raw().train_limit(16), true);
  auto first = rows_in(whole.train);
  first.resize(16);
  EXPECT_EQ(rows_in(limited.train), first);
  EXPECT_EQ(rows_in(limited.test), rows_in(whole.test));
  EXPECT_EQ(split_table(numbered(50), raw().train_limit(1000), true).train->size(), 40);
}

TEST(SplitTable, LearnsTheScalingFromTheTrainingSamplesThatAreUsed) {
  const auto plain = split_table(numbered(50), raw().train_limit(16), true);
  const auto scaled = split_table(numbered(50), TabularOptions().train_limit(16), true);
  EXPECT_TRUE(scaled.standardised);
  const auto x = all(plain.train).inputs.to(torch::kDouble);
  const auto mean = x.mean(0), deviation = (x - mean).pow(2).mean(0).sqrt();
  for (const auto column : {0, 1}) {
    const auto train = all(scaled.train).inputs.select(1, column).to(torch::kDouble);
    EXPECT_NEAR(train.mean().item<double>(), 0, 1e-6);
    EXPECT_NEAR(train.pow(2).mean().item<double>(), 1, 1e-6);
    const auto expected = (all(plain.test).inputs.select(1, column) - mean[column]) / deviation[column];
    EXPECT_LT(max_difference(all(scaled.test).inputs.select(1, column), expected), 1e-6);
  }
  const auto y = all(plain.train).targets.to(torch::kDouble);
  const auto y_deviation = (y - y.mean()).pow(2).mean().sqrt();
  EXPECT_LT(max_difference(all(scaled.test).targets, (all(plain.test).targets - y.mean()) / y_deviation), 1e-6)
      << "numbers to predict likewise";
  EXPECT_NEAR(scaled.test->info().target_deviation.item<double>(), y_deviation.item<double>(), 1e-9);
  const auto kept = split_table(numbered(50), TabularOptions().train_limit(16).standardise_targets(false), true);
  EXPECT_EQ(max_difference(all(kept.test).targets, all(plain.test).targets), 0) << "unless told";
}

TEST(SplitTable, OnlyShiftsAConstantColumn) {
  const auto scaled = split_table(numbered(50), TabularOptions(), true);
  for (const auto& part : {scaled.train, scaled.test}) {
    EXPECT_EQ(all(part).inputs.select(1, 2).abs().max().item<double>(), 0);
  }
  // 0.1 summed up is not 0.1 times the count: rounding alone must not be scaled up
  auto same = numbered(37);
  same.inputs = torch::full({37, 1}, 0.1, torch::kDouble);
  EXPECT_EQ(all(split_table(same, TabularOptions(), true).train).inputs.abs().max().item<double>(), 0);
}

TEST(SplitTable, StandardisesVeryLargeAndVerySmallInputs) {
  const auto splits = split_table(parse("a,b,y\n1e38,1e-38,1.5\n3e38,3e-38,2.5\n2e38,2e-38,3.5\n1e38,3e-38,4\n"),
                                  TabularOptions(), true);
  const auto inputs = all(splits.train).inputs;
  EXPECT_NEAR(inputs.pow(2).mean().item<double>(), 1, 1e-6) << inputs;
}

TEST(SplitTable, FollowsTheDefaultOfTheSetUnlessTold) {
  EXPECT_FALSE(split_table(numbered(10), TabularOptions(), false).standardised);
  EXPECT_TRUE(split_table(numbered(10), TabularOptions().standardise(true), false).standardised);
  EXPECT_FALSE(split_table(numbered(10), raw(), true).standardised);
}

TEST(SplitTable, RefusesPartsThatWouldBeEmptyAndFractionsThatAreNone) {
  expect_error([] { split_table(numbered(1), raw(), true); },
               "t.csv: 1 row with a test fraction of 0.2 would leave no training sample");
  expect_error([] { split_table(numbered(4), raw().test_fraction(0.9), true); }, "leave no training sample");
  EXPECT_EQ(split_table(numbered(2), raw(), true).test->size(), 1) << "at least one";
  for (const double bad : {0.0, 1.0, -0.5, std::nan("")}) {
    expect_error([&] { split_table(numbered(9), raw().test_fraction(bad), true); }, "must be between 0 and 1, got ");
  }
  expect_error([] { split_table(numbered(9), raw().train_limit(-1), true); }, "train limit must not be negative");
}

/// In whichever part they stand, also where scaling would bring them into the range: an exported model holds the scale.
TEST(SplitTable, RefusesValuesThatFloatCannotHold) {
  const auto refused = [](const std::string& rows, const std::string& message, const TabularOptions& options) {
    expect_error([&] { split_table(parse(rows, options), options, true); }, message);
  };
  for (const auto& options : {raw().test_fraction(0.5), TabularOptions().test_fraction(0.5)}) {
    refused("a,y\n1,1.5\n1e39,2\n2,3.5\n",
            "t.csv, line 3: column 'a' holds 1e+39, which is too large for float32; mend it, or scale it down",
            options);
    refused("a,y\n1,1.5\n3,2\n2,-1e300\n", "t.csv, line 4: column 'y' holds -1e+300, which is too large for float32",
            options);
  }
  std::string tiny = "a,b,y\n";
  for (int i = 0; i < 20; ++i) tiny += c10::str(i, "e-50,", i, ",", i % 7, ".5\n");
  refused(tiny, "t.csv: column 'a' has a deviation of ", TabularOptions());
  refused(tiny, "in the training rows, which is 0 in float32; scale it up", TabularOptions());
}

TEST(SplitTable, NamesTheTestRowThatScalingTakesBeyondFloat) {
  std::string rows = "a,y\n";
  for (int i = 0; i < 20; ++i) rows += c10::str(i == 7 ? "5" : c10::str(i, "e-42"), ",", i % 7, ".5\n");
  for (int64_t seed = 0;; ++seed) {  // until the row is one of the test part
    const auto options = TabularOptions().split_seed(seed);
    try {
      split_table(parse(rows), options, true);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("t.csv, line 9: column 'a' holds 5, standardised "), 0) << error.what();
      EXPECT_NE(std::string(error.what()).find("e+41, which is too large for float32"), std::string::npos);
      break;
    }
    ASSERT_LT(seed, 100);
  }
}

TEST(SplitTable, SaysWhatItFound) {
  EXPECT_EQ(split_table(numbered(50), raw(), true).summary,
            "t.csv: 50 rows, 3 inputs; target 'y', regression; not standardised");
  EXPECT_EQ(split_table(parse("a,y\n1,u\n2,v\n3,u\n"), TabularOptions(), true).summary,
            "t.csv: 3 rows, 1 input; target 'y', 2 classes; standardised");
}

TEST(Task, HasNames) {
  for (const auto task : {Task::kClassification, Task::kRegression}) EXPECT_EQ(parse_task(to_string(task)), task);
  expect_error([] { parse_task("regresion"); }, "unknown task 'regresion' (did you mean 'regression'?)");
}

/// printf of C writes "-nan": a missing cell, and no number that is none.
TEST(DataTable, TakesNotANumberForMissing) {
  for (const char* word : {"-nan", "nan", "NaN", "-nan(ind)", "+NAN"}) {
    const auto table = parse_csv_table(c10::str("a,y\n", word, ",1\n2,0\n3,1\n4,0\n"), "t.csv",
                                       TabularOptions().missing(Missing::kMedian));
    EXPECT_EQ(table.inputs[0][0].item<double>(), 3) << word;
    expect_error([&] { parse_csv_table(c10::str("a,y\n1,", word, "\n2,0\n3,1\n4,0\n"), "t.csv", TabularOptions()); },
                 "t.csv, line 2: the target 'y' is");
  }
}

TEST(DataTable, RefusesTargetsThatAreNone) {
  const auto refused = [](const std::string& text, const TabularOptions& options, const std::string& part) {
    expect_error([&] { parse_csv_table(text, "t.csv", options); }, part);
  };
  const std::string text = "a,b,y\n1,2,0\n2,3,1\n3,5,0\n4,1,1\n";
  refused(text, TabularOptions().categorical({"y"}), "--categorical: 'y' is the target or the group of t.csv");
  refused(text, TabularOptions().target("b,y").categorical({"y"}), "--categorical: 'y' is the target");
  refused(text, TabularOptions().drop({"y"}), "--drop: 'y' is the target or the group of t.csv");
  refused(text, TabularOptions().target("y,y"), "--target: 'y' is named twice");
  std::string names = "a,y\n";
  for (int i = 0; i < 18; ++i) names += c10::str(i, ",name", i, "\n");
  refused(names, TabularOptions(), "the target 'y' has 18 classes in 18 rows; is it the right column?");
}

}  // namespace arks
