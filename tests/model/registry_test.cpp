#include "support/testing.h"

#include <map>
#include <set>

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
  EXPECT_EQ(model_names(), (std::vector<std::string>{"celeba-cnn", "cnn", "fashion-cnn", "linear", "mlp", "resnet20"}));
  for (const auto& name : model_names()) {
    const auto info = testing::info_for(name, 7);
    const auto model = make_model(name, info, 0);
    EXPECT_EQ(model.architecture(), name);
    auto shape = info.input_shape;
    shape.insert(shape.begin(), 3);
    EXPECT_EQ(model(torch::zeros(shape)).sizes(), (std::vector<int64_t>{3, 7})) << name;
    EXPECT_FALSE(to_torchscript(model).empty()) << name;
  }
}

TEST(ModelRegistry, KnowsWhichNetworkFitsAnyImages) {
  for (const auto& name : model_names()) EXPECT_EQ(fits_any_images(name), name == "cnn") << name;
  EXPECT_FALSE(fits_any_images("net.pt"));
}

TEST(ModelRegistry, DrawsTheWeightsFromTheSeed) {
  for (const auto& name : model_names()) {
    const auto info = testing::info_for(name);
    const auto one = make_model(name, info, 1).state(), two = make_model(name, info, 1).state(),
               other = make_model(name, info, 2).state();
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_TRUE(identical(one[i].second, two[i].second)) << name << " " << one[i].first;
      if (one[i].first.find("norm") != std::string::npos) continue;  // batch norm starts as the identity
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
      "unknown model 'fashon-cnn' (did you mean 'fashion-cnn'?); known: celeba-cnn, cnn, fashion-cnn, linear, mlp, "
      "resnet20");
  expect_error([] { make_model("quantum", images({1, 28, 28}), 0); }, "unknown model 'quantum'; known:");
}

TEST(ModelRegistry, RefusesDataOfAnotherShape) {
  expect_error(
      [] {
        make_model("fashion-cnn", images({3, 32, 32}), 0);
      },
      "fashion-cnn takes inputs of shape [1, 28, 28], pictures has [3, 32, 32]");
  expect_error(
      [] {
        make_model("resnet20", images({1, 28, 28}), 0);
      },
      "resnet20 takes inputs of shape [3, 32, 32], pictures has [1, 28, 28]");
  expect_error(
      [] {
        make_model("celeba-cnn", images({3, 48, 64}), 0);
      },
      "celeba-cnn takes inputs of shape [3, 64, 48], pictures has [3, 48, 64]");
}

TEST(ModelRegistry, GivesOneOutputForARegression) {
  for (const std::string name : {"linear", "mlp"}) {
    const auto model = make_model(name, images({10}, 0), 0);
    EXPECT_EQ(model(torch::zeros({6, 10})).sizes(), (std::vector<int64_t>{6, 1})) << name;
  }
}

TEST(ModelRegistry, SizesTheCnnForImagesOfAnyShape) {
  const auto model = make_model("cnn", images({3, 9, 13}, 2), ModelOptions(0).width(4).batch_norm(true));
  EXPECT_EQ(model(torch::zeros({6, 3, 9, 13})).sizes(), (std::vector<int64_t>{6, 2}));
  EXPECT_EQ(model.state()[0].second.size(0), 4);
  EXPECT_FALSE(model.module()->buffers().empty());
  auto numbers = images({1, 8, 30}, 0);
  numbers.target_names = {"x", "y", "z"};
  EXPECT_EQ(make_model("cnn", numbers)(torch::zeros({6, 1, 8, 30})).sizes(), (std::vector<int64_t>{6, 3}));
  expect_error([] { make_model("cnn", images({4})); }, "cnn takes images of [channels, height, width]");
  expect_error([] { make_model("mlp", images({4}), ModelOptions().width(4)); },
               "width and batch norm can be chosen for cnn, not for mlp");
}

TEST(ModelRegistry, RefusesACnnForDataWithoutClasses) {
  for (const std::string name : {"celeba-cnn", "fashion-cnn", "resnet20"}) {
    expect_error([&] { make_model(name, testing::info_for(name, 0), 0); },
                 "is a regression; cnn, mlp and linear predict numbers");
  }
}

TEST(ModelRegistry, PutsTheChosenActivationIn) {
  const std::map<std::string, std::string> own{
      {"celeba-cnn", "leaky-relu"}, {"cnn", "elu"}, {"mlp", "elu"}, {"resnet20", "relu"}};
  for (const auto& [name, published] : own) {
    const auto info = testing::info_for(name);
    const auto unnamed = make_model(name, info, 3);
    for (const auto& activation : activation_names()) {
      const auto model = make_model(name, info, ModelOptions(3).activation(activation));
      EXPECT_EQ(script_of(graph_of(model)) == script_of(graph_of(unnamed)), activation == published)
          << name << " " << activation;
      EXPECT_TRUE(identical(model.state()[0].second, unnamed.state()[0].second)) << "the same weights";
      std::set<std::string> found;
      for (const auto& node : graph_of(model).nodes) found.insert(describe(node.operation));
      EXPECT_EQ(found.count(describe(operation_of(parse_activation(activation)))), 1U) << name << " " << activation;
    }
  }
}

TEST(ModelRegistry, SaysWhichNetworksHaveAChoiceOfActivation) {
  for (const std::string name : {"fashion-cnn", "linear"}) {
    expect_error(
        [&] {
          make_model(name, images({1, 28, 28}), ModelOptions().activation("relu"));
        },
        "activation relu: " + name +
            " has a fixed activation or none; it can be chosen for celeba-cnn, cnn, mlp, "
            "resnet20");
  }
  expect_error([] { make_model("mlp", images({4}), ModelOptions().activation("rleu")); },
               "unknown activation 'rleu' (did you mean 'relu'?); known: relu, elu, leaky-relu");
}

}  // namespace arks
