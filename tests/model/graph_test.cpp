#include "model/branching_net.h"
#include "support/testing.h"

#include <torch/script.h>

#include <map>
#include <sstream>

// the example of graph_module.h, as somebody outside of the namespace writes it
struct TwoLayersImpl : arks::GraphModule {
  TwoLayersImpl() : arks::GraphModule("two-layers", {4}) {
    then(arks::Flatten{});
    then(arks::new_dense(4, 8), "first");
    then(arks::Elu{});
    then(arks::new_dense(8, 3), "second");
    draw_weights(/*seed=*/0, arks::draw_published);
  }
};
TORCH_MODULE(TwoLayers);

namespace arks {

using testing::BranchingNet;
using testing::expect_derivative_matches;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

/// The branching net in torch's own words.
torch::Tensor by_hand(const BranchingNet& net, const torch::Tensor& x) {
  std::map<std::string, torch::Tensor> w;
  for (const auto& [name, tensor] : Model(net).state()) w[name] = tensor;
  auto h = torch::conv2d(x, w["stem.conv.weight"], w["stem.conv.bias"], 1, 1);
  const auto mean = w["stem.norm.running_mean"].clone(), variance = w["stem.norm.running_var"].clone();
  h = torch::elu(torch::batch_norm(h, w["stem.norm.weight"], w["stem.norm.bias"], mean, variance, net->is_training(),
                                   0.1, 1e-5, false));
  const auto narrow = torch::tanh(torch::conv2d(h, w["narrow.weight"], w["narrow.bias"], 1, 1));
  const auto wide = torch::cat({narrow, h, torch::max_pool2d(h, 3, 1, 1)}, 1);
  const auto sum = torch::conv2d(wide, w["joined.weight"], w["joined.bias"]) + torch::conv2d(h, w["shortcut.weight"]);
  const auto pooled = torch::avg_pool2d(torch::leaky_relu(sum, 0.2), 2);
  return torch::linear(pooled.flatten(1), w["dense.weight"], w["dense.bias"]);
}

torch::jit::Module reread(const Model& model) {
  std::istringstream bytes(to_torchscript(model));
  return torch::jit::load(bytes);
}

/// Every operation with weights once, those without in all their forms.
class EverythingImpl : public GraphModule {
 public:
  EverythingImpl() : GraphModule("everything", {4, 9, 8}) {
    auto conv = new_convolution(2, 6, 3, 1, 1);  // of groups of two channels
    conv.stride = {2, 1};
    conv.dilation = {1, 2};
    conv.groups = 2;
    then(conv, "part.0");
    auto norm = new_batch_norm(6);
    norm.momentum = std::nullopt;
    norm.eps = 0.125;
    then(norm, "part.1");
    then(Sigmoid{});
    then(MaxPool{{3, 2}, {2, 1}, {1, 0}});
    then(AveragePool{{1, 2}, {1, 2}, {0, 1}});
    then(Elu{0.3});
    then(LeakyRelu{-0.5});
    const size_t x = then(Relu{});
    const size_t alone = add(Concatenation{}, {x}), tanh = add(Tanh{}, {x});
    const size_t doubled = add(Concatenation{}, {x, alone}), beside = add(Concatenation{}, {tanh, x});
    add(Sum{}, {doubled, beside});
    then(Flatten{});
    auto dense = new_dense(108, 2);
    dense.bias = torch::Tensor();
    then(dense, "part.2");
    draw_weights(5, draw_kaiming);
  }
};
TORCH_MODULE(Everything);

}  // namespace

TEST(Graph, ComputesBranchesSumsAndConcatenationsInBothModes) {
  BranchingNet net;
  net->to(torch::kDouble);
  const auto x = normal({3, 3, 8, 6});
  for (const bool training : {true, false}) {
    net->train(training);
    const auto expected = by_hand(net, x);
    EXPECT_LT(max_difference(net->forward(x), expected), 1e-13) << training;
  }
}

TEST(Graph, DerivativesInInputsAndWeightsAreThoseOfTheSameByHand) {
  BranchingNet net;
  net->to(torch::kDouble);
  const auto x = normal({3, 3, 8, 6}).requires_grad_();
  auto wanted = net->parameters();
  wanted.push_back(x);
  const auto weighting = normal({3, 4}, 2);
  for (const bool training : {true, false}) {
    net->train(training);
    const auto expected = torch::autograd::grad({by_hand(net, x)}, wanted, {weighting});
    const auto found = torch::autograd::grad({net->forward(x)}, wanted, {weighting});
    for (size_t i = 0; i < wanted.size(); ++i) EXPECT_LT(max_difference(found[i], expected[i]), 1e-12) << i;
  }
}

TEST(Graph, MovesStatisticsAndCountersInTrainingModeOnly) {
  BranchingNet net;
  const auto norm = net->named_buffers();
  const auto x = normal({3, 3, 8, 6}).to(torch::kFloat);
  net->eval();
  net->forward(x);
  EXPECT_EQ(norm["stem.norm.num_batches_tracked"].item<int64_t>(), 0);
  EXPECT_TRUE(identical(norm["stem.norm.running_mean"], torch::zeros({12})));
  net->train();
  net->forward(x);
  net->forward(x);
  EXPECT_EQ(norm["stem.norm.num_batches_tracked"].item<int64_t>(), 2);
  EXPECT_GT(norm["stem.norm.running_mean"].abs().max().item<double>(), 0);
  net->named_children()["stem"]->eval();
  net->forward(x);
  EXPECT_EQ(norm["stem.norm.num_batches_tracked"].item<int64_t>(), 2) << "it follows its own mode";
}

TEST(Graph, OverwritesNothingThatIsReadAgain) {
  // an activation goes in place on a fresh output of a layer that nobody else reads: of `twice` the first
  const Dense first{normal({4, 5}, 1), {}}, second{normal({4, 4}, 2), {}};
  const auto x = normal({3, 5}).requires_grad_();
  const auto h = torch::linear(x, first.weight);
  Graph shared{first};
  shared.add(Sum{}, {shared.then(Elu{}), 1});
  EXPECT_LT(max_difference(forward(shared, x), torch::elu(h) + h), 1e-15);
  Graph twice{first, Elu{}, Elu{}};
  EXPECT_LT(max_difference(forward(twice, x), torch::elu(torch::elu(h))), 1e-15);
  expect_derivative_matches([&](const torch::Tensor& u) { return forward(twice, u); }, x.detach());
  const auto input = normal({3, 5}), before = input.clone();
  forward(Graph{Relu{}, Dense{normal({4, 5}, 1), {}}, Relu{}}, input);
  EXPECT_TRUE(identical(input, before));
}

TEST(Graph, HasDerivativesBehindNegativeSlopes) {
  const Dense dense{normal({4, 5}, 1), {}};
  for (const Operation& activation : std::vector<Operation>{LeakyRelu{-0.5}, Elu{-0.5}, LeakyRelu{0}, Elu{0}}) {
    const Graph graph{dense, activation};
    expect_derivative_matches([&](const torch::Tensor& u) { return forward(graph, u); }, normal({3, 5}));
  }
}

TEST(Graph, WithoutOperationsIsTheIdentity) {
  const auto x = normal({2, 3});
  EXPECT_TRUE(identical(forward(Graph(), x), x));
  EXPECT_EQ(shapes_of(Graph(), {3}), (std::vector<std::vector<int64_t>>{{3}}));
}

TEST(Graph, CountsTheReadersOnTheWayToTheOutput) {
  Graph graph{Relu{}};
  const size_t a = graph.output, b = graph.add(Tanh{}, {a});
  graph.add(Sigmoid{}, {a});  // nobody reads it
  graph.add(Sum{}, {a, b});
  EXPECT_EQ(graph.readers(), (std::vector<size_t>{1, 2, 1, 0, 1}));
  EXPECT_EQ(graph_of(Model(BranchingNet())).readers()[3], 4U);
  graph.output = b;
  EXPECT_EQ(graph.readers(), (std::vector<size_t>{1, 1, 1, 0, 0}));
  const auto x = normal({2, 3});
  EXPECT_TRUE(identical(forward(graph, x), torch::tanh(torch::relu(x))));
}

TEST(Graph, AppendsAnotherWithItsNames) {
  Graph inner;
  inner.add(Dense{normal({3, 3}), {}}, {0}, "dense");
  inner.add(Sum{}, {inner.output, 0});
  Graph outer{Tanh{}};
  outer.append(inner, outer.output, "block1");
  EXPECT_EQ(outer.append(Graph(), 1), 1U) << "the identity";
  ASSERT_EQ(outer.nodes.size(), 3U);
  EXPECT_EQ(outer.nodes[1].name, "block1.dense");
  EXPECT_EQ(outer.nodes[2].reads, (std::vector<size_t>{2, 1}));
  EXPECT_FALSE(outer.nodes[2].name) << "it has no weights";
}

TEST(Graph, KeepsNamesAndOrderOfTheWeights) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : Model(BranchingNet()).state()) names.push_back(name);
  const std::vector<std::string> expected{"stem.conv.weight",
                                          "stem.conv.bias",
                                          "stem.norm.weight",
                                          "stem.norm.bias",
                                          "narrow.weight",
                                          "narrow.bias",
                                          "joined.weight",
                                          "joined.bias",
                                          "shortcut.weight",
                                          "dense.weight",
                                          "dense.bias",
                                          "stem.norm.running_mean",
                                          "stem.norm.running_var",
                                          "stem.norm.num_batches_tracked"};
  EXPECT_EQ(names, expected);
}

TEST(Graph, IsWrittenAsTorchScriptThatComputesTheSameInBothModes) {
  BranchingNet branching;
  Everything everything;
  const std::vector<std::pair<Model, std::vector<int64_t>>> models{{branching, {2, 3, 8, 6}},
                                                                   {everything, {2, 4, 9, 8}}};
  for (const auto& [model, shape] : models) {
    model.module()->to(torch::kDouble);
    auto script = reread(model);
    const auto x = normal(shape);
    for (const bool training : {false, true, true, false}) {
      script.train(training);
      model.train(training);
      EXPECT_LT(max_difference(script.forward({x}).toTensor(), model(x)), 1e-13) << model.architecture();
      std::map<std::string, torch::Tensor> state;
      for (const auto& [name, tensor] : model.state()) state[name] = tensor;
      for (const auto& item : script.named_buffers()) {
        EXPECT_LT(max_difference(item.value, state[item.name]), 1e-14) << item.name;
      }
    }
  }
}

TEST(Graph, BatchNormWithoutMomentumHasTheMeanOfAllBatches) {
  Everything net;
  net->to(torch::kDouble);
  torch::nn::BatchNorm2d twin(torch::nn::BatchNorm2dOptions(6).momentum(c10::nullopt).eps(0.125));
  twin->to(torch::kDouble);
  auto graph = graph_of(net);
  graph.output = 1;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const auto x = normal({4, 4, 9, 8}, seed);
    net->forward(x);
    twin->forward(forward(graph, x));
  }
  EXPECT_LT(max_difference(net->named_buffers()["part.1.running_mean"], twin->running_mean), 1e-14);
  EXPECT_LT(max_difference(net->named_buffers()["part.1.running_var"], twin->running_var), 1e-14);
}

TEST(Graph, BatchNormWithMomentumNeedsNoCounter) {
  struct Uncounted : GraphModule {
    Uncounted() : GraphModule("uncounted", {3}) {
      auto norm = new_batch_norm(3);
      norm.batches_tracked = torch::Tensor();
      then(norm, "norm");
    }
  };
  const Model model(std::make_shared<Uncounted>());
  torch::nn::BatchNorm1d twin(3);
  auto script = reread(model);
  const auto x = normal({5, 3}).to(torch::kFloat);
  script.train();
  const auto expected = twin->forward(x);
  EXPECT_LT(max_difference(model(x), expected), 1e-6);
  EXPECT_LT(max_difference(script.forward({x}).toTensor(), expected), 1e-6);
  EXPECT_LT(max_difference(model.module()->named_buffers()["norm.running_mean"], twin->running_mean), 1e-6);

  auto norm = new_batch_norm(3);
  norm.batches_tracked = torch::Tensor();
  norm.momentum = std::nullopt;
  Graph graph;
  expect_error([&] { graph.add(norm, {0}, "norm"); }, "batch norm 3: without a momentum it needs batches_tracked");
}

TEST(Graph, RefusesABatchOfOneNumberPerChannel) {
  BatchNorm norm = new_batch_norm(3);
  expect_error(
      [&] {
        evaluate(norm, {torch::ones({1, 3})}, /*training=*/true);
      },
      "batch norm 3: one number per channel has no variance, got inputs [1, 3]");
  EXPECT_EQ(norm.batches_tracked.item<int64_t>(), 0);
}

TEST(Graph, RefusesConstantsInTorchScript) {
  expect_error([] { script_of({Dense{normal({2, 3}), {}}}); }, "weights that are constants have no name");
}

TEST(Graph, RefusesSamplesThatDoNotFit) {
  const Dense dense{normal({2, 3}), {}};
  const Convolution conv{normal({4, 2, 3, 3}), {}};
  expect_error([&] { shapes_of({dense}, {4}); }, "dense 3→2: inputs must have 3 numbers per sample, got shape [4]");
  expect_error([&] { shapes_of({conv}, {3, 8, 8}); }, "inputs must have 2 channels, got shape [3, 8, 8]");
  expect_error([&] { shapes_of({conv}, {2, 8}); }, "inputs must have shape [channels, height, width], got [2, 8]");
  expect_error([&] { shapes_of({conv}, {2, 8, 2}); }, "inputs of shape [2, 8, 2] are smaller than the window");
  expect_error([&] { shapes_of({MaxPool{}}, {6}); }, "max pool 2×2: inputs must have shape");
  expect_error([&] { shapes_of({BatchNorm{normal({3}), normal({3}), {}, {}}}, {2}); }, "inputs must have 3 channels");
  Graph sum{dense};
  sum.add(Sum{}, {1, 0});
  expect_error([&] { shapes_of(sum, {3}); }, "sum: the branches give different shapes, [2] and [3]");
  Graph beside{MaxPool{}};
  beside.add(Concatenation{}, {1, 0});
  expect_error([&] { shapes_of(beside, {3, 4, 6}); }, "differ in more than their channels, [3, 2, 3] and [3, 4, 6]");
}

TEST(Graph, FlattensInTheOrderOfChannelsHoweverAMapLies) {
  const auto map = normal({2, 3, 4, 2}), weight = normal({5, 24});
  const Graph graph{Flatten{}, Dense{weight, {}}};
  const auto expected = torch::linear(map.reshape({2, 24}), weight);
  EXPECT_LT(max_difference(forward(graph, map), expected), 1e-14);
  EXPECT_LT(max_difference(forward(graph, map.contiguous(torch::MemoryFormat::ChannelsLast)), expected), 1e-14);
}

TEST(Graph, RefusesValuesThatAreNotThere) {
  Graph graph;
  expect_error([&] { graph.add(Relu{}, {1}); }, "ReLU: there is no value 1 yet");
  expect_error([&] { graph.add(Sum{}, {0}); }, "sum: it cannot read 1 value");
  expect_error([&] { graph.add(Tanh{}, {0, 0}); }, "tanh: it cannot read 2 values");
  expect_error([&] { graph.add(Concatenation{}, {}); }, "concatenation: it cannot read 0 values");
}

TEST(GraphModule, OfOnesOwnComputesWhatItDescribes) {
  TwoLayers net;
  const auto weights = net->named_parameters();
  const auto x = normal({5, 4}).to(torch::kFloat);
  const auto hidden = torch::elu(torch::linear(x, weights["first.weight"], weights["first.bias"]));
  const auto expected = torch::linear(hidden, weights["second.weight"], weights["second.bias"]);
  EXPECT_LT(max_difference(net->forward(x), expected), 1e-6);
}

TEST(GraphModule, RefusesWeightsWithoutAName) {
  struct Nameless : GraphModule {
    Nameless() : GraphModule("nameless", {3}) { then(new_dense(3, 2)); }
  };
  expect_error([] { Nameless net; }, "dense 3→2: weights need a name");
}

TEST(GraphModule, RefusesOtherShapes) {
  BranchingNet net;
  expect_error(
      [&] {
        net->forward(torch::zeros({2, 3, 6, 8}));
      },
      "branching-net: inputs must have shape [n, 3, 8, 6], got [2, 3, 6, 8]");
  expect_error([&] { net->forward(torch::zeros({3, 8, 6})); }, "got [3, 8, 6]");
  expect_error([&] { net->forward(torch::tensor(1.0F)); }, "got []");
}

}  // namespace arks
