#include "support/testing.h"

#include <cmath>
#include <map>

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

std::map<std::string, torch::Tensor> weights(const CelebaCnn& net) {
  std::map<std::string, torch::Tensor> named;
  for (const auto& item : net->named_parameters()) named[item.key()] = item.value().detach();
  return named;
}

}  // namespace

TEST(CelebaCnn, Has270754WeightsInThePublishedShapes) {
  const std::map<std::string, std::vector<int64_t>> expected{
      {"conv1.weight", {16, 3, 5, 5}},  {"conv1.bias", {16}}, {"conv2.weight", {32, 16, 5, 5}},  {"conv2.bias", {32}},
      {"conv3.weight", {64, 32, 5, 5}}, {"conv3.bias", {64}}, {"conv4.weight", {128, 64, 5, 5}}, {"conv4.bias", {128}},
      {"dense.weight", {2, 256}},       {"dense.bias", {2}}};
  int64_t count = 0;
  std::map<std::string, std::vector<int64_t>> found;
  for (const auto& [name, tensor] : weights(CelebaCnn())) {
    found[name] = tensor.sizes().vec();
    count += tensor.numel();
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(count, 270754);
}

TEST(CelebaCnn, HasThePrintedHeightsAndWidths) {
  const std::vector<std::vector<int64_t>> expected{{16, 31, 23}, {16, 31, 23}, {32, 15, 11}, {32, 15, 11}, {64, 7, 5},
                                                   {64, 7, 5},   {128, 2, 1},  {256},        {2}};
  const auto graph = graph_of(Model(CelebaCnn()));
  ASSERT_EQ(graph.nodes.size(), expected.size()) << "no activation behind the last convolution";
  const auto shapes = shapes_of(graph, {3, 64, 48});
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    EXPECT_EQ(shapes[i + 1], expected[i]) << describe(graph.nodes[i].operation);
  }
}

TEST(CelebaCnn, ComputesWhatIsWritten) {
  const auto x = normal({2, 3, 64, 48});
  for (const auto& name : activation_names()) {
    const auto activation = parse_activation(name);
    CelebaCnn net(CelebaCnnOptions().activation(activation));
    net->to(torch::kDouble);
    auto w = weights(net);
    auto h = x;
    for (const std::string layer : {"conv1", "conv2", "conv3", "conv4"}) {
      const int64_t padding = layer == "conv4" ? 0 : 1;
      h = torch::conv2d(h, w[layer + ".weight"], w[layer + ".bias"], 2, padding);
      if (layer != "conv4") h = evaluate(operation_of(activation), {h});
    }
    const auto expected = torch::linear(h.flatten(1), w["dense.weight"], w["dense.bias"]);
    EXPECT_LT(max_difference(net->forward(x), expected), 1e-14) << name;
  }
}

TEST(CelebaCnn, GivesOneLogitForEachClass) {
  const auto x = torch::zeros({3, 3, 64, 48});
  EXPECT_EQ(CelebaCnn()->forward(x).sizes(), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(CelebaCnn(CelebaCnnOptions().num_classes(5))->forward(x).sizes(), (std::vector<int64_t>{3, 5}));
}

TEST(CelebaCnn, IsTheSameFromTheSameSeedWhateverTheGlobalGeneratorSays) {
  torch::manual_seed(1);
  const auto one = weights(CelebaCnn(CelebaCnnOptions().seed(5)));
  torch::manual_seed(2);
  const auto two = weights(CelebaCnn(CelebaCnnOptions().seed(5))), other = weights(CelebaCnn());
  for (const auto& [name, tensor] : one) {
    EXPECT_TRUE(identical(tensor, two.at(name))) << name;
    EXPECT_FALSE(identical(tensor, other.at(name))) << name;
  }
}

TEST(CelebaCnn, StartsWithThePublishedStatistics) {
  const auto w = weights(CelebaCnn());
  for (const std::string name : {"conv1", "conv2", "conv3", "conv4"}) {
    const auto& weight = w.at(name + ".weight");
    // the deviation of n normal numbers is known to 1/√(2n); four times that is allowed
    const double margin = 4 / std::sqrt(2.0 * static_cast<double>(weight.numel()));
    EXPECT_NEAR(weight.std().item<double>() / 0.02, 1, margin) << name;
    EXPECT_GT(weight.abs().max().item<double>(), 0.055) << name << ": normal, not uniform";
    const double bound = 1 / std::sqrt(static_cast<double>(weight[0].numel()));
    EXPECT_LE(w.at(name + ".bias").abs().max().item<double>(), bound * (1 + 1e-6)) << name;
    EXPECT_GT(w.at(name + ".bias").abs().max().item<double>(), bound / 2) << name;
  }
  const double bound = std::sqrt(6.0 / (256 + 2));
  EXPECT_LE(w.at("dense.weight").abs().max().item<double>(), bound * (1 + 1e-6));
  EXPECT_GT(w.at("dense.weight").abs().max().item<double>(), bound * (1 - 10.0 / 512));
  EXPECT_LE(w.at("dense.bias").abs().max().item<double>(), 1 / 16.0);
}

TEST(CelebaCnn, InputGradientMatchesDifferences) {
  CelebaCnn net(CelebaCnnOptions().activation(Activation::kElu));  // differences are worth nothing on a kink
  net->to(torch::kDouble);
  const auto base = normal({1, 3, 64, 48}, 3);
  // one row of the image, since every coordinate costs two passes
  const auto logits = [&](const torch::Tensor& row) {
    auto x = base.clone();
    x[0][1][30] = row;
    return net->forward(x);
  };
  expect_derivative_matches(logits, base[0][1][30].clone());
}

TEST(CelebaCnn, RefusesOtherShapes) {
  CelebaCnn net;
  expect_error(
      [&] {
        net->forward(torch::zeros({2, 3, 48, 64}));
      },
      "celeba-cnn: inputs must have shape [n, 3, 64, 48], got [2, 3, 48, 64]");
  expect_error([&] { net->forward(torch::zeros({3, 64, 48})); }, "got [3, 64, 48]");
  expect_error([] { CelebaCnn one(CelebaCnnOptions().num_classes(1)); }, "num_classes must be at least 2, got 1");
}

}  // namespace arks
