#include <limits>
#include <optional>

#include "support/testing.h"

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::toy_dataset;

namespace {

DatasetInfo info(int64_t classes = 0, std::optional<Bounds> bounds = std::nullopt) {
  DatasetInfo result;
  result.name = "test";
  result.num_classes = classes;
  result.bounds = bounds;
  return result;
}

torch::Tensor numbers(std::vector<int64_t> values) {
  return torch::tensor(values, torch::kLong);
}

}  // namespace

TEST(TensorDataset, ScalesBytesToTheUnitInterval) {
  const auto inputs = torch::tensor({{0, 51}, {128, 255}}, torch::kByte);
  const TensorDataset dataset(inputs, numbers({0, 1}), info(2, Bounds{0, 1}));
  const auto batch = dataset.get(numbers({0, 1}));
  EXPECT_TRUE(identical(batch.inputs, torch::tensor({{0.f, 51 / 255.f}, {128 / 255.f, 1.f}})));
  EXPECT_EQ(inputs[1][1].item<int64_t>(), 255);  // the stored bytes stay
}

TEST(TensorDataset, LeavesFloatingPointInputsAsTheyAre) {
  const auto inputs = testing::normal({3, 2});
  const TensorDataset dataset(inputs, testing::normal({3, 1}), info());
  EXPECT_TRUE(identical(dataset.get(numbers({0, 1, 2})).inputs, inputs));
}

TEST(TensorDataset, GivesSamplesInTheOrderAskedFor) {
  const auto inputs = torch::arange(8, torch::kFloat).view({4, 2});
  const TensorDataset dataset(inputs, numbers({3, 2, 1, 0}), info(4));
  const auto batch = dataset.get(numbers({2, 0, 2}));
  EXPECT_TRUE(identical(batch.inputs, torch::tensor({{4.f, 5.f}, {0.f, 1.f}, {4.f, 5.f}})));
  EXPECT_TRUE(identical(batch.targets, numbers({1, 3, 1})));
}

TEST(TensorDataset, MakesLabelsInt64AndLeavesOtherTargets) {
  const auto inputs = torch::zeros({2, 1});
  const TensorDataset classes(inputs, torch::tensor({0, 9}, torch::kByte), info(10));
  EXPECT_TRUE(identical(classes.get(numbers({0, 1})).targets, numbers({0, 9})));
  const auto values = torch::tensor({{-1.5, 2.0}, {0.25, 7.0}}, torch::kDouble);
  EXPECT_TRUE(identical(TensorDataset(inputs, values, info()).get(numbers({0, 1})).targets, values));
}

TEST(TensorDataset, FillsInTheShapeOfASample) {
  const TensorDataset dataset(torch::zeros({5, 3, 2}), torch::zeros({5}), info());
  EXPECT_EQ(dataset.info().input_shape, (std::vector<int64_t>{3, 2}));
}

TEST(TensorDataset, RefusesCountsThatDiffer) {
  expect_error([] { TensorDataset(torch::zeros({3, 2}), numbers({0, 1}), info(2)); }, "test: 3 inputs but 2 targets");
}

TEST(TensorDataset, RefusesNothing) {
  expect_error([] { TensorDataset(torch::zeros({0, 2}), torch::zeros({0}), info()); }, "test: no samples");
  expect_error([] { TensorDataset(torch::zeros({}), torch::zeros({}), info()); }, "need a first dimension");
}

TEST(TensorDataset, RefusesInputsThatAreNeitherBytesNorFloatingPoint) {
  expect_error(
      [] {
        TensorDataset(numbers({1, 2}), numbers({0, 1}), info(2));
      },
      "test: inputs must be uint8 or floating point, got Long");
}

TEST(TensorDataset, RefusesLabelsOutsideTheClasses) {
  const auto inputs = torch::zeros({2, 1});
  expect_error([&] { TensorDataset(inputs, numbers({0, 3}), info(3)); }, "labels must be 0 to 2, found 0 to 3");
  expect_error([&] { TensorDataset(inputs, numbers({-1, 2}), info(3)); }, "labels must be 0 to 2, found -1 to 2");
}

TEST(TensorDataset, RefusesLabelsThatAreNotWholeNumbersInAList) {
  const auto inputs = torch::zeros({2, 1});
  expect_error(
      [&] {
        TensorDataset(inputs, torch::tensor({0.5, 1.0}), info(3));
      },
      "labels must be integers of shape [n]");
  expect_error([&] { TensorDataset(inputs, numbers({0, 1}).view({2, 1}), info(3)); }, "got Long [2, 1]");
}

TEST(TensorDataset, RefusesInputsOutsideTheDeclaredBounds) {
  const auto targets = numbers({0, 1});
  expect_error(
      [&] {
        TensorDataset(torch::tensor({0.0, 1.5}), targets, info(2, Bounds{0, 1}));
      },
      "test: inputs are outside the given range [0, 1]: they span [0, 1.5]");
  expect_error(
      [&] {
        TensorDataset(torch::tensor({-0.25, 0.5}), targets, info(2, Bounds{0, 1}));
      },
      "they span [-0.25, 0.5]");
  expect_error(
      [&] {
        TensorDataset(torch::tensor({0, 255}, torch::kByte), targets, info(2, Bounds{0, 0.5}));
      },
      "they span [0, 1]");
  EXPECT_NO_THROW(TensorDataset(torch::tensor({0, 102}, torch::kByte), targets, info(2, Bounds{0, 0.5})));
  EXPECT_NO_THROW(TensorDataset(torch::tensor({0.0, 1.0}), targets, info(2, Bounds{0, 1})));
}

TEST(TensorDataset, RefusesNotANumberWhereBoundsAreDeclared) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& inputs : {torch::tensor({nan, 0.5f}), torch::tensor({0.5f, nan})}) {
    expect_error(
        [&] {
          TensorDataset(inputs, numbers({0, 1}), info(2, Bounds{0, 1}));
        },
        "test: inputs are outside the given range");
  }
}

TEST(TensorDataset, RefusesInfoThatContradictsTheTensors) {
  auto shape = info();
  shape.input_shape = {2, 3};
  expect_error(
      [&] {
        TensorDataset(torch::zeros({4, 3, 2}), torch::zeros({4}), shape);
      },
      "test: inputs have shape [3, 2], but [2, 3] is declared");
  auto names = info(3);
  names.class_names = {"one", "two"};
  expect_error([&] { TensorDataset(torch::zeros({2, 1}), numbers({0, 1}), names); }, "2 class names for 3 classes");
}

TEST(Subset, IsTheFirstSamples) {
  const auto source = toy_dataset(10, {2});
  const Subset subset(source, 4);
  EXPECT_EQ(subset.size(), 4);
  EXPECT_EQ(subset.info().name, "toy");
  const auto all = numbers({0, 1, 2, 3});
  EXPECT_TRUE(identical(subset.get(all).inputs, source->get(all).inputs));
  EXPECT_TRUE(identical(subset.get(all).targets, source->get(all).targets));
}

TEST(Subset, KeepsTheRestOutOfReach) {
  const Subset subset(toy_dataset(10, {2}), 4);
  expect_error([&] { subset.get(numbers({0, 4})); }, "subset: there is no sample 4 among the 4 of toy");
}

TEST(Subset, RefusesCountsTheSourceDoesNotHave) {
  const auto source = toy_dataset(10, {2});
  expect_error([&] { Subset(source, 0); }, "toy has 10 samples, but 0 were requested");
  expect_error([&] { Subset(source, 11); }, "toy has 10 samples, but 11 were requested");
}

TEST(Limited, IsTheSourceItselfForZeroAndForEnough) {
  const auto source = toy_dataset(10, {2});
  EXPECT_EQ(limited(source, 0), source);
  EXPECT_EQ(limited(source, 10), source);
  EXPECT_EQ(limited(source, 11), source);
}

TEST(Limited, CutsToTheFirstSamples) {
  const auto source = toy_dataset(10, {2});
  const auto cut = limited(source, 9);
  EXPECT_EQ(cut->size(), 9);
  EXPECT_TRUE(identical(cut->get(numbers({8})).inputs, source->get(numbers({8})).inputs));
}

TEST(Limited, RefusesANegativeLimit) {
  expect_error([] { limited(toy_dataset(10, {2}), -1); }, "limit must not be negative, got -1");
}

TEST(TensorDataset, TakesBoundsPerFeature) {
  const auto row = [](std::vector<double> values) { return torch::tensor(values, torch::kDouble); };
  const auto inputs = torch::tensor({{4.3f, 0.1f}, {7.9f, 2.5f}});
  const auto targets = numbers({0, 1});
  const TensorDataset dataset(inputs, targets, info(2, Bounds(row({4.3, 0.1}), row({7.9, 2.5}))));
  EXPECT_TRUE(dataset.info().bounds->per_feature());
  expect_error(
      [&] {
        TensorDataset(inputs, targets, info(2, Bounds(row({4.3, 0.1}), row({7.9, 2.4}))));
      },
      "test: inputs are outside the given range: feature 1 (counted from 0) spans [0.1, 2.5], but its range is "
      "[0.1, 2.4]");
  expect_error(
      [&] {
        TensorDataset(inputs, targets, info(2, Bounds(row({0, 0, 0}), row({9, 9, 9}))));
      },
      "bounds: shape [3] does not fit samples of shape [2]");
  expect_error(
      [&] {
        TensorDataset(inputs, targets, info(2, Bounds(row({9, 0}), row({0, 9}))));
      },
      "bounds: need low <= high in every feature, got 9,0 for feature 0");
  const auto bytes = torch::tensor({{0, 51}, {102, 255}}, torch::kByte);
  EXPECT_NO_THROW(TensorDataset(bytes, targets, info(2, Bounds(row({0, 0.2}), row({0.4, 1})))));
  expect_error([&] { TensorDataset(bytes, targets, info(2, Bounds(row({0, 0.2}), row({0.3, 1})))); }, "feature 0 ");
}

TEST(CheckInputs, NamesTheFeatureThatIsOutside) {
  const TensorDataset dataset(torch::tensor({{0.5, 0.5}, {0.5, 3.0}}), numbers({0, 1}), info(2));
  EXPECT_NO_THROW(check_inputs(dataset, Bounds(torch::zeros({2}), torch::tensor({1.0, 3.0}))));
  expect_error([&] { check_inputs(dataset, Bounds(torch::zeros({2}), torch::ones({2}))); },
               "test: inputs are outside the given range: feature 1 (counted from 0) spans [0.5, 3]");
}

}  // namespace arks
