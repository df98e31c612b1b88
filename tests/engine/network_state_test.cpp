// A network on its plan is the model in every other respect too: shapes, weights, modes, graphs.
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/pooling.h>
#include <torch/serialize.h>

#include <sstream>

#include "engine/climbs.h"
#include "engine/threads.h"

namespace arks {

using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

namespace nn = torch::nn;

torch::Tensor inputs(std::vector<int64_t> shape, uint64_t seed = 1) {
  return normal(shape, seed).to(torch::kFloat);
}

/// Predictions are those of libtorch, and come from a plan.
void expect_prediction(const engine::Network& network, const torch::Tensor& x) {
  torch::NoGradGuard no_grad;
  const auto compilation = network.compilation(x.sizes().slice(1), network.model().training_modes().front());
  EXPECT_TRUE(compilation.compiled) << compilation.why_not;
  EXPECT_LE(relative_difference(network(x), network.model()(x)), 1e-5);
}

std::string why_not(const Model& model, std::vector<int64_t> sample, bool training = false) {
  const auto found = engine::Network(model, Engine::kAuto).compilation(sample, training);
  EXPECT_FALSE(found.compiled);
  return found.why_not;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST(EngineNetworkState, NewShapesAreCompiledAnew) {
  torch::manual_seed(1);
  // the convolutions take any extent, the dense layer 8 × 12 or 12 × 8 or 6 × 16 numbers of 5 channels behind them
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(2, 9, 3).padding(1)), nn::ELU(), nn::MaxPool2d(2),
                     nn::Conv2d(nn::Conv2dOptions(9, 5, 3).padding(1)), nn::Tanh(), nn::Flatten(), nn::Linear(480, 4));
  const engine::Network network(net, Engine::kAuto);
  const std::vector<std::pair<int64_t, int64_t>> extents{{16, 24}, {24, 16}, {12, 32}, {13, 33}, {16, 24}};
  for (const auto& [height, width] : extents) {
    for (const int64_t images : {3, 11}) expect_prediction(network, inputs({images, 2, height, width}));
  }
  // what the model refuses is refused in its words
  for (const auto& shape : std::vector<std::vector<int64_t>>{{3, 2, 10, 10}, {3, 3, 16, 24}, {3, 768}}) {
    EXPECT_THROW(net->forward(inputs(shape)), c10::Error);
    EXPECT_THROW(network(inputs(shape)), c10::Error);
  }
  expect_prediction(network, inputs({3, 2, 16, 24}, 2));
}

TEST(EngineNetworkState, SamplesMayHaveMoreDimensionsThanTheirNumbersNeed) {
  const engine::Network network(Mlp(MlpOptions(24, 3)), Engine::kAuto);
  expect_prediction(network, inputs({5, 24}));
  expect_prediction(network, inputs({5, 2, 3, 4}));
  expect_prediction(network, inputs({5, 24, 1, 1}));
  // not laid out in order
  expect_prediction(network, inputs({24, 5}).t());
  expect_prediction(network, inputs({5, 4, 3, 2}).permute({0, 3, 2, 1}));
}

TEST(EngineNetworkState, WeightsThatChangeAreFollowed) {
  auto net = small_conv_net();
  const engine::Network network(net, Engine::kAuto);
  const auto x = inputs(small_images(6));
  const auto first = network(x).detach();
  const auto expect_followed = [&](const std::string& what) {
    SCOPED_TRACE(what);
    expect_prediction(network, x);
    torch::NoGradGuard no_grad;
    EXPECT_GT(max_difference(network(x), first), 1e-3);
  };
  {
    torch::NoGradGuard no_grad;
    net->parameters()[0].mul_(1.5);
  }
  expect_followed("in place");
  net->parameters()[2].data_ptr<float>()[3] += 2;  // torch does not see this
  expect_followed("through the pointer");
  net->to(torch::kDouble);
  EXPECT_THROW(network(x), c10::Error);
  EXPECT_EQ(network(x.to(torch::kDouble)).scalar_type(), torch::kDouble);
  net->to(torch::kFloat);
  expect_followed("to float64 and back");
  {
    torch::NoGradGuard no_grad;
    for (auto& parameter : net->parameters()) parameter.set_data(parameter * 0.5);
  }
  expect_followed("by other tensors");
  auto other = small_conv_net(/*seed=*/2);
  std::stringstream file;
  torch::save(other, file);
  torch::load(net, file);
  expect_followed("by a file");
  torch::NoGradGuard no_grad;
  EXPECT_LE(max_difference(network(x), other->forward(x)), 1e-5);
}

TEST(EngineNetworkState, StatisticsThatChangeAreFollowed) {
  torch::manual_seed(2);
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 9, 3)), nn::BatchNorm2d(9), nn::ELU(), nn::BatchNorm2d(9),
                     nn::Flatten(), nn::Linear(135, 4));
  const engine::Network network(net, Engine::kAuto);
  const auto x = inputs(small_images(6));
  torch::NoGradGuard no_grad;
  for (uint64_t batch = 1; batch < 4; ++batch) {
    net->eval();
    expect_prediction(network, x);
    net->train();
    network(inputs(small_images(6), batch));
  }
  EXPECT_EQ(net->buffers()[2].item<int64_t>(), 3);
}

TEST(EngineNetworkState, NothingOfTheModelIsTouched) {
  torch::manual_seed(3);
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 9, 3)), nn::BatchNorm2d(9), nn::ELU(), nn::Flatten(),
                     nn::Linear(135, 4));
  const engine::Network network(net, Engine::kAuto);
  net->parameters()[0].set_requires_grad(false);
  net->eval();
  net->children()[1]->train();  // mixed
  const auto modes = network.model().training_modes();
  std::vector<torch::Tensor> copies;
  for (const auto& [name, tensor] : network.model().state()) copies.push_back(tensor.detach().clone());
  const auto stream = at::globalContext().defaultGenerator(at::kCPU).get_state().clone();
  for (const bool training : {false, true}) {
    EXPECT_TRUE(network.compilation({3, 7, 5}, training).compiled);
  }
  EXPECT_EQ(network.model().training_modes(), modes);
  EXPECT_FALSE(net->parameters()[0].requires_grad());
  EXPECT_TRUE(net->parameters()[1].requires_grad());
  const auto state = network.model().state();
  for (size_t i = 0; i < copies.size(); ++i) EXPECT_TRUE(identical(state[i].second, copies[i])) << state[i].first;
  EXPECT_TRUE(torch::equal(stream, at::globalContext().defaultGenerator(at::kCPU).get_state()));
}

TEST(EngineNetworkState, ModulesInDifferentModesRunAsTheyAre) {
  torch::manual_seed(4);
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 9, 3)), nn::BatchNorm2d(9), nn::ELU(), nn::BatchNorm2d(9),
                     nn::Flatten(), nn::Linear(135, 4));
  move_statistics(net, small_images(8));
  const engine::Network network(net, Engine::kAuto);
  const auto x = inputs(small_images(6), 5);
  for (const bool first : {true, false}) {
    net->eval();
    net->children()[first ? 1 : 3]->train();
    std::vector<torch::Tensor> before;
    for (const auto& buffer : net->buffers()) before.push_back(buffer.clone());
    const auto found = network(x);
    const auto moved = net->buffers()[first ? 2 : 5].item<int64_t>();
    for (size_t i = 0; i < before.size(); ++i) torch::Tensor(net->buffers()[i]).copy_(before[i]);
    EXPECT_LE(max_difference(found, net->forward(x)), 1e-5);
    EXPECT_EQ(moved, before[first ? 2 : 5].item<int64_t>() + 1);
  }
}

TEST(EngineNetworkState, BackwardMayBeRepeated) {
  auto net = small_conv_net();
  const engine::Network network(net, Engine::kAuto);
  const auto x = inputs(small_images(7)).requires_grad_(true);
  const auto prediction = network(x);
  std::vector<torch::Tensor> wanted{x};
  for (const auto& parameter : net->parameters()) wanted.push_back(parameter);
  const auto dy = inputs({7, 4}, 2), other = inputs({7, 4}, 3);
  const auto once = torch::autograd::grad({prediction}, wanted, {dy}, /*retain_graph=*/true);
  const auto between = torch::autograd::grad({prediction}, wanted, {other}, /*retain_graph=*/true);
  const auto twice = torch::autograd::grad({prediction}, wanted, {dy}, /*retain_graph=*/true);
  const auto expected = torch::autograd::grad({net->forward(x)}, wanted, {other});
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_TRUE(identical(once[i], twice[i])) << i;
    EXPECT_LE(relative_difference(between[i], expected[i]), 1e-4) << i;
  }
}

TEST(EngineNetworkState, GraphsLiveBesideEachOther) {
  torch::manual_seed(5);
  for (const bool norm : {false, true}) {
    SCOPED_TRACE(norm);
    nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 9, 3)), nn::ELU());
    if (norm) net->push_back(nn::BatchNorm2d(9));
    net->push_back(nn::Flatten());
    net->push_back(nn::Linear(135, 4));
    const engine::Network network(net, Engine::kAuto);
    const auto gradients = [&](const auto& function, bool together) {
      std::vector<torch::Tensor> found;
      const auto a = inputs(small_images(6), 1).requires_grad_(true),
                 b = inputs(small_images(6), 2).requires_grad_(true);
      const auto weight = net->parameters()[0];
      const auto first = function(a);
      if (!together) found.push_back(torch::autograd::grad({first.pow(2).sum()}, {a}, {}, true)[0]);
      const auto second = function(b);
      if (together) found.push_back(torch::autograd::grad({first.pow(2).sum()}, {a}, {}, true)[0]);
      found.push_back(torch::autograd::grad({second.pow(2).sum()}, {b}, {}, true)[0]);
      found.push_back(torch::autograd::grad({(first * second).sum()}, {weight})[0]);
      return found;
    };
    const auto expected = gradients(Model(net), false);
    const auto apart = gradients(network, false), together = gradients(network, true);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(identical(apart[i], together[i])) << i;
      EXPECT_LE(relative_difference(together[i], expected[i]), 1e-4) << i;
    }
  }
}

TEST(EngineNetworkState, ThreadsMayChangeBetweenForwardAndBackward) {
  auto net = small_conv_net();
  const engine::Network network(net, Engine::kAuto);
  const auto gradients = [&](int before, int behind) {
    const auto x = inputs(small_images(37)).requires_grad_(true);
    std::vector<torch::Tensor> wanted{x};
    for (const auto& parameter : net->parameters()) wanted.push_back(parameter);
    const Threads first(before);
    const auto loss = network(x).pow(2).sum();
    const Threads then(behind);
    return torch::autograd::grad({loss}, wanted);
  };
  const auto expected = gradients(1, 1);
  for (const auto& [before, behind] : std::vector<std::pair<int, int>>{{1, 2}, {2, 1}, {2, 3}, {3, 1}, {4, 2}}) {
    SCOPED_TRACE(c10::str(before, " then ", behind));
    const auto found = gradients(before, behind);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_LE(relative_difference(found[i], expected[i]), 1e-5) << i;
  }
}

TEST(EngineNetworkState, SecondDerivativesAreThoseOfLibtorch) {
  torch::manual_seed(6);
  nn::Sequential net(nn::Linear(5, 9), nn::Tanh(), nn::Dropout(0.5), nn::Linear(9, 3));
  const engine::Network network(net, Engine::kAuto);
  net->eval();
  // a gradient penalty: its gradient in the weights is a second derivative
  const auto penalty = [&](const auto& function, bool switched) {
    for (auto& parameter : net->parameters()) parameter.mutable_grad() = torch::Tensor();
    const auto x = inputs({6, 5}).requires_grad_(true);
    const auto prediction = function(x);
    net->train(switched);  // as someone does who guards his modes
    const auto slope = torch::autograd::grad({prediction.sin().sum()}, {x}, {}, true, /*create_graph=*/true)[0];
    slope.pow(2).sum().backward();
    net->eval();
    std::vector<torch::Tensor> found{x.grad()};
    for (const auto& parameter : net->parameters())
      found.push_back(parameter.grad().defined() ? parameter.grad().clone() : torch::zeros({1}));
    return found;
  };
  const auto expected = penalty(Model(net), false);
  for (const bool switched : {false, true}) {
    const auto found = penalty(network, switched);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_LE(relative_difference(found[i], expected[i]), 1e-5) << i;
    EXPECT_FALSE(net->is_training());
  }
}

TEST(EngineNetworkState, SecondDerivativesThroughBatchStatisticsAreAnError) {
  nn::Sequential net(nn::Linear(5, 9), nn::BatchNorm1d(9), nn::Linear(9, 3));
  const engine::Network network(net, Engine::kAuto);
  const auto x = inputs({6, 5}).requires_grad_(true);
  const auto loss = network(x).pow(2).sum();
  testing::expect_error([&] { torch::autograd::grad({loss}, {x}, {}, true, /*create_graph=*/true); }, "kLibtorch");
}

TEST(EngineNetworkState, WhatCannotBeCompiledRunsOnLibtorchAndSaysWhy) {
  nn::Sequential dropout(nn::Linear(5, 9), nn::Dropout(0.5), nn::Linear(9, 3));
  EXPECT_TRUE(holds(why_not(dropout, {5}, /*training=*/true), "Dropout"));
  EXPECT_TRUE(engine::Network(dropout, Engine::kAuto).compilation({5}, false).compiled);
  nn::Sequential unknown(nn::Linear(5, 9), nn::GELU(), nn::Linear(9, 3));
  EXPECT_TRUE(holds(why_not(unknown, {5}), "GELU"));
  EXPECT_TRUE(holds(why_not(Model([](const torch::Tensor& x) { return x * 2; }), {5}), "plain function"));
  Mlp mlp(MlpOptions(5, 3));
  const auto script = load_torchscript(to_torchscript(Model(mlp)), "memory");
  EXPECT_TRUE(holds(why_not(script, {5}), "TorchScript"));
  EXPECT_TRUE(holds(why_not(mlp, {6}), "6"));
  nn::Sequential maps(nn::Conv2d(nn::Conv2dOptions(3, 5, 3)));
  EXPECT_FALSE(why_not(maps, {3, 7, 5}).empty());

  const auto x = inputs({6, 5}).requires_grad_(true);
  for (const auto& model : {Model(unknown), script}) {
    const engine::Network network(model, Engine::kAuto);
    EXPECT_TRUE(identical(network(x), model(x)));
    const auto found = torch::autograd::grad({network(x).pow(2).sum()}, {x})[0];
    EXPECT_TRUE(identical(found, torch::autograd::grad({model(x).pow(2).sum()}, {x})[0]));
  }
  const engine::Network network(maps, Engine::kAuto);
  const auto image = inputs(small_images(2));
  EXPECT_TRUE(identical(network(image), Model(maps)(image)));
  // in training mode it draws as libtorch does
  const engine::Network random(dropout, Engine::kAuto);
  torch::manual_seed(7);
  const auto found = random(x);
  torch::manual_seed(7);
  EXPECT_TRUE(identical(found, Model(dropout)(x)));
}

TEST(EngineNetworkState, LibtorchIsUsedWhenAskedFor) {
  auto net = small_conv_net();
  const engine::Network network(net, Engine::kLibtorch);
  const auto compilation = network.compilation({3, 7, 5}, false);
  EXPECT_FALSE(compilation.compiled);
  EXPECT_TRUE(holds(compilation.why_not, "libtorch was requested"));
  const auto x = inputs(small_images(6));
  EXPECT_TRUE(identical(network(x), Model(net)(x)));
}

TEST(EngineNetworkState, OtherTypesAndEmptyBatchesGoToLibtorch) {
  Mlp mlp(MlpOptions(5, 3));
  const engine::Network network(mlp, Engine::kAuto);
  expect_prediction(network, inputs({6, 5}));
  EXPECT_EQ(network(torch::empty({0, 5})).sizes(), (std::vector<int64_t>{0, 3}));
  EXPECT_THROW(network(normal({6, 5})), c10::Error);  // float32 weights
  EXPECT_THROW(network(torch::ones({6, 5}, torch::kLong)), c10::Error);
}

TEST(EngineNetworkState, BatchNormOfOneNumberIsAnError) {
  nn::Sequential net(nn::Linear(5, 9), nn::BatchNorm1d(9), nn::Linear(9, 3));
  SupervisedProblem problem(net, CrossEntropy());
  testing::expect_error([&] { problem.predict(inputs({1, 5})); }, "batch norm");
  // it is the same network as before afterwards
  EXPECT_EQ(net->buffers()[2].item<int64_t>(), 0);
  EXPECT_LE(max_difference(problem.predict(inputs({2, 5})), Model(net)(inputs({2, 5}))), 1e-5);
}

TEST(EngineNetworkState, WeightsThatAreSharedOrUnusedAreTrainedOnLibtorch) {
  nn::Linear shared(6, 6);
  nn::Sequential twice(shared, nn::ELU(), shared);
  const engine::Network network(twice, Engine::kAuto);
  const auto x = inputs({4, 6});
  const auto found = torch::autograd::grad({network(x).pow(2).sum()}, {shared->weight})[0];
  const auto own = torch::autograd::grad({Model(twice)(x).pow(2).sum()}, {shared->weight})[0];
  EXPECT_LE(relative_difference(found, own), 1e-5);
}

TEST(EngineNetworkState, FrozenWeightsGetNoGradient) {
  auto net = small_conv_net();
  const engine::Network network(net, Engine::kAuto);
  net->parameters()[0].set_requires_grad(false);
  network(inputs(small_images(6))).pow(2).sum().backward();
  EXPECT_FALSE(net->parameters()[0].grad().defined());
  for (size_t i = 1; i < net->parameters().size(); ++i) EXPECT_TRUE(net->parameters()[i].grad().defined()) << i;
  // gradients add up
  const auto once = net->parameters()[2].grad().clone();
  network(inputs(small_images(6))).pow(2).sum().backward();
  EXPECT_LE(relative_difference(net->parameters()[2].grad(), once * 2), 1e-6);
}

}  // namespace arks
