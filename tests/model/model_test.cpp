#include "support/testing.h"

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::normal;

namespace {

torch::Tensor doubled(const torch::Tensor& x) {
  return 2 * x;
}

/// A module with its own holder, a nested child, a parameter that is not trained and a buffer.
struct NetImpl : torch::nn::Module {
  NetImpl() : inner(torch::nn::Linear(3, 4), torch::nn::BatchNorm1d(4), torch::nn::Dropout(0.5)), head(4, 2) {
    register_module("inner", inner);
    register_module("head", head);
    scale = register_parameter("scale", torch::ones({1}), /*requires_grad=*/false);
    to(torch::kDouble);
  }
  torch::Tensor forward(const torch::Tensor& x) { return head->forward(inner->forward(x)) * scale; }

  torch::nn::Sequential inner;
  torch::nn::Linear head;
  torch::Tensor scale;
};
TORCH_MODULE(Net);

}  // namespace

TEST(Model, IsWhatItsModuleComputes) {
  Net net;
  net->eval();
  const auto x = normal({5, 3});
  EXPECT_TRUE(identical(Model(net)(x), net->forward(x)));
}

TEST(Model, TakesTheHoldersOfTorchItself) {
  const auto x = normal({5, 3});
  torch::nn::Linear linear(3, 2);
  linear->to(torch::kDouble);
  EXPECT_TRUE(identical(Model(linear)(x), linear->forward(x)));
  torch::nn::Sequential sequential(torch::nn::Linear(3, 4), torch::nn::Tanh(), torch::nn::Linear(4, 2));
  sequential->to(torch::kDouble);
  EXPECT_TRUE(identical(Model(sequential)(x), sequential->forward(x)));
}

TEST(Model, TakesASharedModule) {
  const auto net = std::make_shared<NetImpl>();
  net->eval();
  const Model model = net;
  const auto x = normal({5, 3});
  EXPECT_TRUE(identical(model(x), net->forward(x)));
  EXPECT_EQ(model.module(), net);
  EXPECT_EQ(model.parameters().size(), net->parameters().size());
  model.train(true);
  EXPECT_TRUE(net->is_training());
}

TEST(Model, TakesAnyCallable) {
  const auto x = normal({5, 3});
  const auto weights = normal({3, 2}, 2);
  const Model::Function function = doubled;
  EXPECT_TRUE(identical(Model(doubled)(x), 2 * x));
  EXPECT_TRUE(identical(Model(function)(x), 2 * x));
  EXPECT_TRUE(identical(Model([&](const torch::Tensor& u) { return u.matmul(weights); })(x), x.matmul(weights)));
}

TEST(Model, SharesTheWeightsAmongCopies) {
  Net net;
  const Model model(net);
  const Model copy = model;
  {
    torch::NoGradGuard no_grad;
    net->scale.fill_(3);
  }
  EXPECT_TRUE(copy.parameters()[0].is_same(model.parameters()[0]));
  net->eval();
  const auto x = normal({5, 3});
  EXPECT_TRUE(identical(copy(x), net->forward(x)));
}

TEST(Model, ListsParametersAndBuffersByName) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : Model(Net()).state()) names.push_back(name);
  const std::vector<std::string> expected{
      "scale",       "inner.0.weight", "inner.0.bias",         "inner.1.weight",      "inner.1.bias",
      "head.weight", "head.bias",      "inner.1.running_mean", "inner.1.running_var", "inner.1.num_batches_tracked"};
  EXPECT_EQ(names, expected);
}

TEST(Model, NumbersTheParametersOfACallable) {
  const auto a = normal({2}), b = normal({3});
  const Model model(doubled, {a, b});
  const auto state = model.state();
  ASSERT_EQ(state.size(), 2u);
  EXPECT_EQ(state[0].first, "parameter0");
  EXPECT_EQ(state[1].first, "parameter1");
  EXPECT_TRUE(state[1].second.is_same(b));
  EXPECT_EQ(model.parameters().size(), 2u);
  EXPECT_TRUE(Model(doubled).parameters().empty());
}

TEST(Model, IsCalledByItsClassUntilItIsNamed) {
  Model model{Net()};
  EXPECT_NE(model.architecture().find("Net"), std::string::npos) << model.architecture();
  EXPECT_EQ(model.named("fashion-cnn").architecture(), "fashion-cnn");
  EXPECT_EQ(Model(doubled).architecture(), "function");
}

TEST(Model, TrainReachesEveryModule) {
  Net net;
  const Model model(net);
  model.train(false);
  for (const auto& module : net->modules()) EXPECT_FALSE(module->is_training()) << module->name();
  model.train(true);
  for (const auto& module : net->modules()) EXPECT_TRUE(module->is_training()) << module->name();
}

TEST(Model, RestoresEveryMixtureOfModes) {
  Net net;
  const Model model(net);
  const auto count = model.training_modes().size();
  ASSERT_EQ(count, 6u);  // itself, inner with three children, head
  for (unsigned pattern = 0; pattern < (1u << count); ++pattern) {
    std::vector<bool> modes(count);
    for (size_t i = 0; i < count; ++i) modes[i] = ((pattern >> i) & 1u) != 0;
    model.set_training_modes(modes);
    ASSERT_EQ(model.training_modes(), modes) << pattern;
  }
}

TEST(Model, RestoresTheOutermostModeWhenItHasGrownSince) {
  torch::nn::Sequential net(torch::nn::Linear(2, 2));
  const Model model(net);
  model.train(false);
  const auto modes = model.training_modes();
  net->push_back(torch::nn::Linear(2, 2));
  model.train(true);
  model.set_training_modes(modes);
  for (const bool training : model.training_modes()) EXPECT_FALSE(training);
}

TEST(Model, HasNoModesWhenItIsACallable) {
  const Model model(doubled);
  EXPECT_TRUE(model.training_modes().empty());
  model.train(true);
  model.set_training_modes({});
}

TEST(Model, RefusesAnEmptyFunction) {
  expect_error([] { Model model{Model::Function()}; }, "the forward function is empty");
}

}  // namespace arks
