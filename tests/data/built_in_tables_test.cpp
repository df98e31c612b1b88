// Iris and diabetes.
#include "data/diabetes.h"
#include "data/iris.h"
#include "data/tables.h"
#include "support/samples.h"

namespace arks {

using testing::all;
using testing::identical;
using testing::max_difference;

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

}  // namespace arks
