#include "support/testing.h"

namespace arks {

using testing::expect_error;
using testing::identical;

namespace {

DatasetInfo images(std::vector<int64_t> shape, int64_t classes = 10) {
  DatasetInfo info;
  info.name = "pictures";
  info.input_shape = std::move(shape);
  info.num_classes = classes;
  return info;
}

}  // namespace

TEST(ModelRegistry, MakesEveryModelItNames) {
  const auto info = images({1, 28, 28}, 7);
  EXPECT_EQ(model_names(), (std::vector<std::string>{"fashion-cnn", "linear", "mlp"}));
  for (const auto& name : model_names()) {
    const auto model = make_model(name, info, 0);
    EXPECT_EQ(model.architecture(), name);
    EXPECT_EQ(model(torch::zeros({3, 1, 28, 28})).sizes(), (std::vector<int64_t>{3, 7})) << name;
    EXPECT_FALSE(to_torchscript(model).empty()) << name;
  }
}

TEST(ModelRegistry, DrawsTheWeightsFromTheSeed) {
  const auto info = images({1, 28, 28});
  for (const auto& name : model_names()) {
    const auto one = make_model(name, info, 1).state(), two = make_model(name, info, 1).state(),
               other = make_model(name, info, 2).state();
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_TRUE(identical(one[i].second, two[i].second)) << name << " " << one[i].first;
      EXPECT_FALSE(identical(one[i].second, other[i].second)) << name << " " << one[i].first;
    }
  }
}

TEST(ModelRegistry, SizesTheLinearModelForTheData) {
  EXPECT_EQ(make_model("linear", images({3, 4, 5}, 2), 0)(torch::zeros({6, 3, 4, 5})).sizes(),
            (std::vector<int64_t>{6, 2}));
}

TEST(ModelRegistry, SuggestsTheNearestName) {
  expect_error(
      [] {
        make_model("fashon-cnn", images({1, 28, 28}), 0);
      },
      "unknown model 'fashon-cnn' (did you mean 'fashion-cnn'?); known: fashion-cnn, linear, mlp");
  expect_error([] { make_model("quantum", images({1, 28, 28}), 0); }, "unknown model 'quantum'; known:");
}

TEST(ModelRegistry, RefusesDataOfAnotherShape) {
  expect_error(
      [] {
        make_model("fashion-cnn", images({3, 32, 32}), 0);
      },
      "fashion-cnn takes inputs of shape [1, 28, 28], pictures has [3, 32, 32]");
}

TEST(ModelRegistry, GivesOneOutputForARegression) {
  for (const std::string name : {"linear", "mlp"}) {
    const auto model = make_model(name, images({10}, 0), 0);
    EXPECT_EQ(model(torch::zeros({6, 10})).sizes(), (std::vector<int64_t>{6, 1})) << name;
  }
}

TEST(ModelRegistry, RefusesACnnForDataWithoutClasses) {
  expect_error([] { make_model("fashion-cnn", images({1, 28, 28}, 0), 0); }, "num_classes must be at least 2, got 0");
}

}  // namespace arks
