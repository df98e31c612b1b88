#include "support/testing.h"

#include <torch/script.h>

#include <cmath>
#include <sstream>

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

/// x·(x > 0) + (eˣ − 1)·(x ≤ 0), written out.
torch::Tensor elu_by_hand(const torch::Tensor& x) {
  return x.clamp_min(0) + x.clamp_max(0).exp() - 1;
}

torch::Tensor dense(Mlp& model, const std::string& name, const torch::Tensor& x) {
  const auto parameters = model->named_parameters();
  return x.matmul(parameters[name + ".weight"].t()) + parameters[name + ".bias"];
}

}  // namespace

TEST(Mlp, IsDenseLayersWithEluBetween) {
  Mlp model(MlpOptions(6, 4).hidden({7, 3}));
  model->to(torch::kDouble);
  const auto x = normal({5, 3, 2});
  const auto expected = dense(
      model, "dense3", elu_by_hand(dense(model, "dense2", elu_by_hand(dense(model, "dense1", x.reshape({5, 6}))))));
  EXPECT_LT(max_difference(model->forward(x), expected), 1e-14);
  expect_derivative_matches([&](const torch::Tensor& u) { return model->forward(u); }, x);
}

TEST(Mlp, HasThePapersTwoLayersOf32) {
  Mlp model(MlpOptions(10, 1));
  std::vector<std::string> names;
  for (const auto& item : model->named_parameters()) names.push_back(item.key());
  EXPECT_EQ(names, (std::vector<std::string>{"dense1.weight", "dense1.bias", "dense2.weight", "dense2.bias",
                                             "dense3.weight", "dense3.bias"}));
  EXPECT_EQ(model->named_parameters()["dense2.weight"].sizes(), (std::vector<int64_t>{32, 32}));
  EXPECT_EQ(model->forward(torch::zeros({3, 10})).sizes(), (std::vector<int64_t>{3, 1}));
}

TEST(Mlp, WithoutHiddenLayersIsTheLinearModelOfTheSeed) {
  Mlp model(MlpOptions(6, 4).hidden({}).seed(3));
  LinearModel linear(LinearModelOptions(6, 4).seed(3));
  const auto x = normal({5, 6}).to(torch::kFloat);
  EXPECT_TRUE(identical(model->forward(x), linear->forward(x)));
}

TEST(Mlp, IsTheSameFromTheSameSeedWhateverTheGlobalGeneratorSays) {
  torch::manual_seed(1);
  Mlp one(MlpOptions(6, 4).seed(3));
  torch::manual_seed(2);
  Mlp two(MlpOptions(6, 4).seed(3)), other(MlpOptions(6, 4).seed(4));
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(identical(one->parameters()[i], two->parameters()[i]));
    EXPECT_FALSE(identical(one->parameters()[i], other->parameters()[i]));
  }
}

TEST(Mlp, StartsWithinTheXavierBound) {
  Mlp model(MlpOptions(100, 50).hidden({200}));
  const auto weights = model->named_parameters();
  for (const std::string layer : {"dense1", "dense2"}) {
    const auto& weight = weights[layer + ".weight"];
    const double bound = std::sqrt(6.0 / static_cast<double>(weight.size(0) + weight.size(1)));
    EXPECT_LE(weight.abs().max().item<double>(), bound * (1 + 1e-6));
    EXPECT_GT(weight.abs().max().item<double>(), 0.99 * bound);
    const double bias_bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
    EXPECT_LE(weights[layer + ".bias"].abs().max().item<double>(), bias_bound * (1 + 1e-6));
    EXPECT_GT(weights[layer + ".bias"].abs().max().item<double>(), 0.9 * bias_bound);
  }
}

TEST(Mlp, WritesAScriptForAnyNumberOfLayers) {
  const auto x = normal({4, 2, 3}).to(torch::kFloat);
  for (const auto& hidden : std::vector<std::vector<int64_t>>{{}, {5}, {32, 32}, {4, 8, 2, 6}}) {
    const Mlp net(MlpOptions(6, 2).hidden(hidden));
    std::istringstream bytes(to_torchscript(Model(net)));
    auto script = torch::jit::load(bytes);
    EXPECT_LT(max_difference(script.forward({x}).toTensor(), Model(net)(x)), 1e-6) << hidden.size();
  }
}

TEST(Mlp, SaysWhatItIsMadeOf) {
  for (const auto& hidden : std::vector<std::vector<int64_t>>{{}, {5}, {32, 32}}) {
    EXPECT_EQ(graph_of(Mlp(MlpOptions(6, 2).hidden(hidden))).nodes.size(), 2 + 2 * hidden.size());
  }
}

TEST(Mlp, RefusesAnotherNumberOfInputs) {
  Mlp model(MlpOptions(6, 4));
  expect_error([&] { model->forward(torch::zeros({2, 5})); }, "inputs must have 6 numbers per sample, got 5");
}

TEST(Mlp, RefusesEmptySizes) {
  expect_error([] { Mlp model(MlpOptions(0, 4)); }, "inputs and outputs must be positive, got 0 and 4");
  expect_error([] { Mlp model(MlpOptions(6, -1)); }, "got 6 and -1");
  expect_error([] { Mlp model(MlpOptions(6, 1).hidden({32, 0})); }, "hidden layer must be positive, got 0");
}

}  // namespace arks
