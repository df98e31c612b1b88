// Files of tables: CSV and NPY, with test rows of their own.
#include "data/table_targets.h"
#include "data/tables.h"
#include "data/tabular.h"

#include <algorithm>
#include <cmath>

namespace arks {

using testing::all;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::numbered;
using testing::raw;
using testing::TemporaryFolder;
using testing::write_numbers;

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
  spoiled[4][1][2] = -1e300;
  write_numbers(folder / "far.npy", spoiled);
  expect_error([&] { load_tabular(folder / "far.npy", folder / "y.npy"); },
               "far.npy: row 4 (counted from 0) holds -1e+300, which is too large for float32");
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
  write_numbers(file("ty.npy"), torch::ones({2, 2}));
  expect_error(load, "tx.npy: the target 'ty.npy' has 2 numbers for each row; in training it had 1");
  write_numbers(file("y.npy"), torch::tensor({5, 7, 9, 7}));
  expect_error(load, "tx.npy: the target 'ty.npy' has 2 numbers for each row; in training it had 1");
  write_numbers(file("y.npy"), torch::arange(8).view({4, 2}));
  EXPECT_EQ(all(load().test).targets.size(1), 2);
  write_numbers(file("ty.npy"), torch::ones({2, 3}));
  expect_error(load, "has 3 numbers for each row; in training it had 2");
  write_numbers(file("ty.npy"), torch::ones({2}));
  expect_error(load, "has 1 number for each row; in training it had 2");
  write_numbers(file("tx.npy"), torch::arange(6).view({2, 3}));
  write_numbers(file("ty.npy"), torch::ones({2, 2}));
  expect_error(load, "inputs of shape [3], but those of x.npy have [2]");
  expect_error([&] { load_tabular(file("x.npy"), file("y.npy"), raw().test_targets(file("ty.npy"))); },
               "need test data");
}

}  // namespace arks
