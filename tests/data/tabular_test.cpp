#include "data/tabular.h"
#include "data/diabetes.h"
#include "data/iris.h"
#include "data/table_targets.h"
#include "support/samples.h"
#include "support/testing.h"
#include "support/text.h"

#include <algorithm>
#include <cmath>

namespace arks {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::TemporaryFolder;

namespace {

DataTable parse(const std::string& text, const TabularOptions& options = TabularOptions()) {
  return parse_csv_table(text, "t.csv", options);
}

/// n rows: inputs (i, 2i + 1, 7), target 10·i.
DataTable numbered(int64_t n) {
  DataTable table;
  const auto row = torch::arange(n, torch::kDouble);
  table.inputs = torch::stack({row, 2 * row + 1, torch::full_like(row, 7)}, 1);
  table.targets = 10 * row;
  table.info.name = "t.csv";
  table.target = "y";
  return table;
}

Batch all(const DatasetPtr& set) {
  return set->get(torch::arange(set->size(), torch::kLong));
}

/// The rows of numbered() that a part holds, by their targets.
std::vector<int64_t> rows_in(const DatasetPtr& set) {
  std::vector<int64_t> rows;
  const auto targets = all(set).targets;
  for (int64_t i = 0; i < set->size(); ++i) rows.push_back(std::lround(targets[i].item<double>() / 10));
  return rows;
}

TabularOptions raw() {
  return TabularOptions().standardise(false);
}

void write_numbers(const fs::path& path, const torch::Tensor& values) {
  const auto whole = values.to(torch::kDouble).contiguous();
  std::vector<std::string> sizes;
  for (const int64_t size : whole.sizes()) sizes.push_back(std::to_string(size));
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + join(sizes) + ",), }";
  header.resize(118, ' ');
  std::string file = "\x93NUMPY";
  file += std::string{'\1', '\0', '\x76', '\0'} + header;
  file.append(static_cast<const char*>(whole.data_ptr()), static_cast<size_t>(whole.numel()) * 8);
  testing::write_bytes(path, file, /*gzip=*/false);
}

}  // namespace

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
  const auto splits = split_table(
      parse("a,b,y\n1e200,1e-200,1.5\n3e200,3e-200,2.5\n2e200,2e-200,3.5\n1e200,3e-200,4\n"), TabularOptions(), true);
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

TEST(SplitTable, RefusesValuesThatFloatCannotHold) {
  expect_error([] { split_table(parse("a,y\n1e39,1.5\n1,2\n2,3\n"), raw().test_fraction(0.5), true); },
               "t.csv: inputs are too large for float32");
}

TEST(SplitTable, SaysWhatItFound) {
  EXPECT_EQ(split_table(numbered(50), raw(), true).summary,
            "t.csv: 50 rows, 3 inputs; target 'y', regression; not standardised");
  EXPECT_EQ(split_table(parse("a,y\n1,u\n2,v\n3,u\n"), TabularOptions(), true).summary,
            "t.csv: 3 rows, 1 input; target 'y', 2 classes; standardised");
}

TEST(LoadTabular, ReadsCsvFiles) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "wine.csv", "a,y\n1,u\n2,v\n3,u\n", /*gzip=*/false);
  const auto splits = load_tabular(folder / "wine.csv");
  EXPECT_EQ(splits.task, Task::kClassification);
  EXPECT_EQ(splits.target, "y");
  EXPECT_TRUE(splits.standardised);
  EXPECT_EQ(splits.train->info().name, "wine.csv");
  EXPECT_FALSE(splits.train->info().bounds);
  expect_error([&] { load_tabular(folder / "wine.csv", "y.npy"); }, "is for .npy inputs");
  expect_error([&] { load_tabular(folder / "wine.xlsx"); }, "ending in .csv, .tsv, .txt (also with .gz) or .npy, got ");
}

TEST(LoadTabular, KnowsAClassThatIsADash) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "crx.csv", "a,y\n1,+\n2,-\n3,+\n", /*gzip=*/false);
  testing::write_bytes(folder / "test.csv", "a,y\n1,-\n2,-\n", /*gzip=*/false);
  const auto splits = load_tabular(folder / "crx.csv", {}, TabularOptions().test_data(folder / "test.csv"));
  EXPECT_EQ(splits.train->info().class_names, (std::vector<std::string>{"+", "-"}));
  EXPECT_TRUE(testing::identical(all(splits.test).targets, torch::ones({2}, torch::kLong)));
}

TEST(Targets, OfTrueAndFalseAreTheSameHoweverTheyAreWritten) {
  const TargetNames names{"field.csv", "ok"};
  const auto truth = text_targets({"True", "False", "True"}, names);
  EXPECT_EQ(truth.class_names, (std::vector<std::string>{"False", "True"}));
  const auto expected = torch::tensor({1, 0, 1}, torch::kLong);
  EXPECT_TRUE(identical(text_targets({"TRUE", "false", "True"}, names, &truth).values, expected));
  EXPECT_TRUE(identical(text_targets({"1", "0", "1.0"}, names, &truth).values, expected));
  const auto numbers = torch::tensor({1.0, 0.0, 1.0}, torch::kDouble);
  EXPECT_TRUE(identical(number_targets(numbers, std::nullopt, names, &truth).values, expected));
  const auto zero_one = number_targets(numbers, std::nullopt, names);
  EXPECT_TRUE(identical(text_targets({"true", "false", "1"}, names, &zero_one).values, expected));
  testing::expect_error([&] { text_targets({"2", "True"}, names, &truth); }, "the class '2' of the target 'ok'");
  const auto sizes = text_targets({"1", "large"}, names);
  testing::expect_error([&] { text_targets({"True"}, names, &sizes); }, "the class 'True' of the target 'ok'");
}

TEST(LoadTabular, ReadsNumbersToPredictAmongTexts) {
  CsvOptions texts;
  texts.as_texts = {"y"};
  const auto table = parse_csv("a;y\n1;2,5\n2;1.234,5\n", "t.csv", texts);
  EXPECT_TRUE(testing::identical(csv_targets(table, {"y"}, Task::kRegression, nullptr).values,
                                 torch::tensor({2.5, 1234.5}, torch::kDouble)));
}

TEST(LoadTabular, ReadsPairsOfNpyFiles) {
  const TemporaryFolder folder;
  const auto x = testing::normal({30, 2, 3});
  write_numbers(folder / "x.npy", x);
  write_numbers(folder / "y.npy", x.flatten(1).sum(1));
  write_numbers(folder / "labels.npy", torch::arange(30).remainder(3).unsqueeze(1));
  write_numbers(folder / "few.npy", torch::arange(7));
  const auto regression = load_tabular(folder / "x.npy", folder / "y.npy", raw());
  EXPECT_EQ(regression.task, Task::kRegression);
  EXPECT_EQ(regression.target, "y.npy");
  EXPECT_EQ(regression.train->info().input_shape, (std::vector<int64_t>{2, 3}));
  const auto batch = all(regression.train);
  EXPECT_LT(max_difference(batch.inputs.flatten(1).sum(1), batch.targets), 1e-5);
  EXPECT_EQ(load_tabular(folder / "x.npy", folder / "labels.npy").train->info().num_classes, 3);
  expect_error([&] { load_tabular(folder / "x.npy"); }, "the targets are needed too, in a second .npy file");
  expect_error([&] { load_tabular(folder / "x.npy", folder / "few.npy"); }, "has 30 rows but ");
  expect_error([&] { load_tabular(folder / "y.npy", folder / "y.npy"); },
               "inputs must have shape [n, inputs], got [30]");
  expect_error([&] { load_tabular(folder / "x.npy", folder / "x.npy"); },
               "targets must have shape [n] or [n, outputs]");
  expect_error([&] { load_tabular(folder / "x.npy", folder / "y.npy", TabularOptions().target("y")); },
               "a target column ('y') cannot be named in an .npy file");
  auto spoiled = x.clone();
  spoiled[4][1][2] = std::nan("");
  write_numbers(folder / "nan.npy", spoiled);
  expect_error([&] { load_tabular(folder / "nan.npy", folder / "y.npy"); },
               "nan.npy: row 4 (counted from 0) holds a value that is not finite");
}

TEST(LoadTabular, PredictsSeveralNumbersTogether) {
  const TemporaryFolder folder;
  testing::write_bytes(folder / "t.csv", "a,u,v\n1,10,0.5\n2,20,1.5\n3,30,2.5\n", /*gzip=*/false);
  const auto splits = load_tabular(folder / "t.csv", "", raw().target("u,v"));
  EXPECT_EQ(splits.train->info().target_names, (std::vector<std::string>{"u", "v"}));
  EXPECT_EQ(num_outputs(splits.train->info()), 2);
  const auto batch = all(splits.train);
  EXPECT_EQ(max_difference(batch.inputs * 10, batch.targets.slice(1, 0, 1)), 0);
  expect_error([&] { load_tabular(folder / "t.csv", "", raw().target("u,v").task(Task::kClassification)); },
               "several targets are numbers that are predicted together");
  expect_error([&] { load_tabular(folder / "t.csv", "", raw().target("u,w")); }, "no column 'w'");
  const auto x = testing::normal({30, 2});
  write_numbers(folder / "x.npy", x);
  write_numbers(folder / "y.npy", 3 * x);
  EXPECT_EQ(num_outputs(load_tabular(folder / "x.npy", folder / "y.npy").train->info()), 2);
}

TEST(Task, HasNames) {
  for (const auto task : {Task::kClassification, Task::kRegression}) EXPECT_EQ(parse_task(to_string(task)), task);
  expect_error([] { parse_task("regresion"); }, "unknown task 'regresion' (did you mean 'regression'?)");
}

TEST(Iris, HasThreeSpeciesInCentimetres) {
  const auto splits = load_iris();
  EXPECT_EQ(splits.train->size(), 120);
  EXPECT_EQ(splits.test->size(), 30);
  EXPECT_EQ(splits.train->info().name, "iris");
  EXPECT_EQ(splits.train->info().input_shape, (std::vector<int64_t>{4}));
  EXPECT_EQ(splits.train->info().class_names, (std::vector<std::string>{"setosa", "versicolor", "virginica"}));
  EXPECT_FALSE(splits.standardised);
  const auto inputs = torch::cat({all(splits.train).inputs, all(splits.test).inputs}).to(torch::kDouble);
  const auto means = torch::tensor({5.843333, 3.057333, 3.758, 1.199333}, torch::kDouble);  // of all 150 flowers
  EXPECT_LT(max_difference(inputs.mean(0), means), 1e-6);
  const auto labels = torch::cat({all(splits.train).targets, all(splits.test).targets});
  EXPECT_TRUE(identical(labels.bincount(), torch::full({3}, 50, torch::kLong)));
}

TEST(Iris, LeavesRoomFor80TrainingSamples) {
  EXPECT_EQ(load_iris(TabularOptions().train_limit(80)).train->size(), 80);
  EXPECT_EQ(load_diabetes(TabularOptions().train_limit(80)).train->size(), 80);
}

TEST(Diabetes, IsScaledAsInScikitLearn) {
  const auto table = diabetes_table(TabularOptions().task(Task::kRegression));
  ASSERT_EQ(table.inputs.sizes(), (std::vector<int64_t>{442, 10}));
  const auto row = table.inputs[0];
  EXPECT_NEAR(row[0].item<double>(), 0.03807591, 5e-9);
  EXPECT_NEAR(row[1].item<double>(), 0.05068012, 5e-9);
  EXPECT_NEAR(row[2].item<double>(), 0.06169621, 5e-9);
  EXPECT_LT(table.inputs.sum(0).abs().max().item<double>(), 1e-13);
  EXPECT_LT(max_difference(table.inputs.pow(2).sum(0), torch::ones({10}, torch::kDouble)), 1e-13);
  EXPECT_EQ(table.targets[0].item<double>(), 151);
}

TEST(Diabetes, IsARegressionOfTheTargetAsItIs) {
  const auto splits = load_diabetes();
  EXPECT_EQ(splits.task, Task::kRegression);
  EXPECT_EQ(splits.target, "progression");
  EXPECT_FALSE(splits.standardised);
  EXPECT_EQ(splits.train->size(), 354);
  EXPECT_EQ(splits.test->size(), 88);
  const auto targets = torch::cat({all(splits.train).targets, all(splits.test).targets});
  EXPECT_EQ(targets.min().item<double>(), 25);
  EXPECT_EQ(targets.max().item<double>(), 346);
  EXPECT_NEAR(targets.mean().item<double>(), 152.1335, 1e-3);
}

TEST(TestData, OfATableIsReadAsTheTrainingFileWas) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, const std::string& text) {
    testing::write_bytes(folder / name, text, /*gzip=*/false);
  };
  const auto load = [&](const TabularOptions& options) { return load_tabular(folder / "train.csv", "", options); };
  write("train.csv", "a,kind,b\n1,y,10\n2,x,20\n3,z,30\n");
  write("test.csv", "b,a,kind\n40,4,z\n50,5,z\n");
  const auto options = TabularOptions().target("kind").test_data(folder / "test.csv");
  const auto splits = load(TabularOptions(options).standardise(false));
  EXPECT_FALSE(splits.divided);
  EXPECT_EQ(splits.train->size(), 3);
  EXPECT_TRUE(identical(all(splits.test).inputs, torch::tensor({{4.F, 40.F}, {5.F, 50.F}}))) << "columns by name";
  EXPECT_TRUE(identical(all(splits.test).targets, torch::tensor({2, 2}))) << "classes of the training file";
  EXPECT_EQ(splits.test->info().class_names, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_NE(splits.summary.find("; 2 test rows in test.csv"), std::string::npos) << splits.summary;
  const double deviation = std::sqrt(2.0 / 3);
  EXPECT_NEAR(all(load(options).test).inputs[0][0].item<double>(), (4 - 2) / deviation, 1e-6)
      << "scaled by the training rows";
  EXPECT_EQ(load(TabularOptions(options).train_limit(2)).train->size(), 2);

  write("test.csv", "b,a,kind\n40,4,w\n");
  expect_error([&] { load(options); }, "the class 'w' of the target 'kind' is not in the training data");
  write("test.csv", "a,kind\n4,x\n");
  expect_error([&] { load(options); }, "no column 'b'");
  write("test.csv", "b,a,kind,c\n40,4,x,1\n");
  EXPECT_EQ(load(options).notes,
            (std::vector<std::string>{"test.csv: a column that the training rows do not have is ignored: 'c'"}));
  write("test.csv", "b,a,kind\n40,4,1\n");
  expect_error([&] { load(options); }, "the class '1' of the target 'kind' is not in the training data");
  expect_error([&] { load(TabularOptions().test_data(folder / "test.npy")); },
               "must have the same form as the training");
  expect_error([&] { split_table(numbered(5), TabularOptions().test_data("t.csv"), false); },
               "need a file of training rows");
}

TEST(TestData, OfNumbersKeepsTaskAndClasses) {
  const TemporaryFolder folder;
  const auto file = [&](const char* name) { return folder / name; };
  write_numbers(file("x.npy"), torch::arange(8).view({4, 2}));
  write_numbers(file("y.npy"), torch::tensor({5, 7, 9, 7}));
  write_numbers(file("tx.npy"), torch::arange(4).view({2, 2}));
  write_numbers(file("ty.npy"), torch::tensor({9, 7}));
  const auto options = raw().test_data(file("tx.npy")).test_targets(file("ty.npy"));
  const auto load = [&] { return load_tabular(file("x.npy"), file("y.npy"), options); };
  EXPECT_TRUE(identical(all(load().test).targets, torch::tensor({2, 1})));
  write_numbers(file("ty.npy"), torch::tensor({9, 8}));
  expect_error(load, "tx.npy: the class '8' of the target 'ty.npy' is not in the training data");
  write_numbers(file("y.npy"), torch::tensor({0.5, 1.5, 2.5, 3.5}));
  EXPECT_TRUE(identical(all(load().test).targets, torch::tensor({9.F, 8.F}))) << "whole numbers, yet a regression";
  write_numbers(file("tx.npy"), torch::arange(6).view({2, 3}));
  expect_error(load, "inputs of shape [3], but those of x.npy have [2]");
  expect_error([&] { load_tabular(file("x.npy"), file("y.npy"), raw().test_targets(file("ty.npy"))); },
               "need test data");
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
