#include "certify/loss_bounds.h"
#include "model/scripts.h"
#include "support/testing.h"

namespace arks {

using testing::bytes_of;
using testing::expect_error;
using testing::max_difference;
using testing::script_module;
using testing::scripted_linear;
using testing::scripted_net;
using testing::scripted_relu;
using testing::scripted_sequential;
using testing::six_numbers;

namespace {

Model loaded(const torch::jit::Module& script) {
  return load_torchscript(bytes_of(script), "net.pt");
}

/// torch.nn.Conv2d with the constants that scripting keeps.
torch::jit::Module scripted_convolution(const std::string& padding_mode = "zeros") {
  auto module = script_module("__torch__.torch.nn.modules.conv.Conv2d");
  const auto pair = [](int64_t a, int64_t b) { return c10::ivalue::Tuple::create({c10::IValue(a), c10::IValue(b)}); };
  module.type()->addConstant("stride", pair(2, 1));
  module.type()->addConstant("padding", pair(1, 0));
  module.type()->addConstant("dilation", pair(1, 2));
  module.type()->addConstant("groups", c10::IValue(int64_t{1}));
  module.type()->addConstant("padding_mode", c10::IValue(padding_mode));
  module.register_parameter("weight", testing::normal({3, 2, 3, 3}).to(torch::kFloat).set_requires_grad(true), false);
  module.register_attribute("bias", c10::OptionalType::ofTensor(), c10::IValue());
  module.define("def forward(self, x):\n    return torch.conv2d(x, self.weight, None, [2, 1], [1, 0], [1, 2], 1)\n");
  return module;
}

}  // namespace

TEST(ScriptGraph, OfASequentialIsItsOwnFunction) {
  const auto model = loaded(scripted_net());
  model.train(false);
  const auto graph = graph_of(model);
  ASSERT_EQ(graph.nodes.size(), 4U) << "dropout is left out";
  EXPECT_EQ(graph.nodes[1].name, "1") << "as in the state";
  const auto x = six_numbers(5);
  EXPECT_LT(max_difference(forward(graph, x), model(x)), 1e-5);
  EXPECT_EQ(graph_of(model, {6}).nodes.size(), 4U);
}

TEST(ScriptGraph, ReadsTheConstantsOfAConvolution) {
  const auto model = loaded(scripted_sequential({scripted_convolution(), scripted_relu()}));
  const auto x = testing::normal({2, 2, 9, 8}).to(torch::kFloat);
  EXPECT_LT(max_difference(forward(graph_of(model, {2, 9, 8}), x), model(x)), 1e-5);
  expect_error([] { graph_of(loaded(scripted_convolution("reflect"))); },
               "only zero padding given in numbers is supported");
}

TEST(ScriptGraph, IsFoundInsideAClassThatOnlyPassesOn) {
  auto net = script_module("__torch__.Net");
  net.register_module("body", scripted_sequential({scripted_linear(6, 4, 1), scripted_relu()}));
  net.register_module("head", scripted_linear(4, 2, 5));
  net.define(
      "def forward(self, x):\n    return self.head.forward(torch.tanh(self.body.forward(torch.flatten(x, 1))))\n");
  const auto model = loaded(net);
  const auto x = six_numbers(3);
  const auto graph = graph_of(model, {6});
  EXPECT_EQ(graph.nodes.size(), 5U);
  EXPECT_EQ(graph.nodes[1].name, "body.0");
  EXPECT_LT(max_difference(forward(graph, x), model(x)), 1e-5);
}

TEST(ScriptGraph, RefusesWhatIsNoChain) {
  auto residual = script_module("__torch__.Net");
  residual.register_module("body", scripted_linear(6, 6, 1));
  residual.define("def forward(self, x):\n    return x + self.body.forward(x)\n");
  expect_error([&] { graph_of(loaded(residual)); }, "model Net: its forward is not a plain chain of layers (add)");
  auto twice = script_module("__torch__.Net");
  twice.register_module("body", scripted_linear(6, 6, 1));
  twice.define("def forward(self, x):\n    y = self.body.forward(x)\n    return self.body.forward(x)\n");
  expect_error([&] { graph_of(loaded(twice)); }, "not a plain chain of layers");
}

TEST(ScriptGraph, RefusesATracedLayerThatDoesNotSayItsConstants) {
  auto norm = script_module("__torch__.torch.nn.modules.batchnorm.BatchNorm1d");
  norm.register_buffer("running_mean", torch::zeros({6}));
  norm.register_buffer("running_var", torch::ones({6}));
  norm.define(
      "def forward(self, x):\n    return torch.batch_norm(x, None, None, self.running_mean, self.running_var, False, "
      "0.1, "
      "1e-5, True)\n");
  expect_error([&] { graph_of(loaded(scripted_sequential({norm}))); },
               "layer 0 (BatchNorm1d) does not say its eps, as in a traced or frozen module");
}

TEST(ScriptGraph, RefusesAClassThatComputesSomethingElseThanItsName) {
  auto fake = script_module("__torch__.torch.nn.modules.activation.ReLU");
  fake.define("def forward(self, input):\n    return torch.sin(input)\n");
  const auto model = loaded(scripted_sequential({scripted_linear(6, 4, 1), fake}));
  EXPECT_EQ(graph_of(model).nodes.size(), 2U);
  expect_error([&] { graph_of(model, {6}); }, "are not what its forward computes");
}

TEST(ScriptGraph, RefusesALayerThatDoesNotFitAsItsNameSays) {
  auto fake = script_module("__torch__.torch.nn.modules.linear.Linear");
  fake.register_parameter("weight", testing::normal({2, 3}).to(torch::kFloat), false);
  fake.define("def forward(self, input):\n    return input[:, :3] * self.weight[0]\n");
  const auto model = loaded(scripted_sequential({fake}));
  expect_error([&] { graph_of(model, {6}); }, "dense 3→2: inputs must have 3 numbers per sample, got shape [6]");
  auto without = script_module("__torch__.torch.nn.modules.linear.Linear");
  without.define("def forward(self, input):\n    return 2 * input\n");
  expect_error([&] { graph_of(loaded(scripted_sequential({without}))); },
               "layer 0 (Linear) has no weight of 2 dimensions");
}

TEST(ScriptGraph, GivesTheSameConstantsAsTheLayersOfTorch) {
  const auto script = scripted_sequential({scripted_linear(6, 5, 1), scripted_relu(), scripted_linear(5, 3, 7)});
  const auto model = loaded(script);
  torch::nn::Sequential twin(torch::nn::Linear(6, 5), torch::nn::ReLU(), torch::nn::Linear(5, 3));
  {
    torch::NoGradGuard no_grad;
    auto own = twin->parameters();
    for (size_t i = 0; i < own.size(); ++i) own[i].copy_(model.parameters()[i]);
  }
  const auto found = bound_loss(SupervisedProblem(model, CrossEntropy()), {6}, false);
  const auto expected = bound_loss(SupervisedProblem(Model(twin), CrossEntropy()), {6}, false);
  EXPECT_EQ(*found.lipschitz, *expected.lipschitz);
}

}  // namespace arks
