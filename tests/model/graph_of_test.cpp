#include "support/testing.h"

#include <torch/nn/modules/container/functional.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/modules/pooling.h>
#include <torch/script.h>

#include <map>
#include <sstream>

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace nn = torch::nn;

namespace {

/// The graph computes what the model does in evaluation mode, its shape is the one foretold, and its weights stand in
/// the state under their names. A GraphModule computes its graph: there what is written as TorchScript is compared.
void expect_same_function(const Model& model, const torch::Tensor& x, double tolerance = 0) {
  model.train(false);
  auto graph = graph_of(model);
  if (dynamic_cast<const GraphModule*>(model.module().get()) != nullptr) {
    std::istringstream bytes(to_torchscript(model));
    EXPECT_LE(max_difference(torch::jit::load(bytes).forward({x}).toTensor(), model(x)), tolerance);
  } else {
    EXPECT_LE(max_difference(forward(graph, x), model(x)), tolerance);
  }
  EXPECT_EQ(shapes_of(graph, x.sizes().slice(1))[graph.output], model(x).sizes().slice(1).vec());
  std::map<std::string, torch::Tensor> state;
  for (const auto& [name, tensor] : model.state()) state[name] = tensor;
  for (auto& node : graph.nodes) {
    for (const auto& [name, tensor, trained] : weights_of(node.operation)) {
      const auto full = node.name.value().empty() ? std::string(name) : *node.name + "." + name;
      ASSERT_EQ(state.count(full), 1U) << full;
      EXPECT_EQ(state[full].data_ptr(), tensor->data_ptr()) << full;
    }
  }
}

template <typename... Modules>
Model sequential(Modules... modules) {
  nn::Sequential net(modules...);
  net->to(torch::kDouble);
  return net;
}

/// A batch norm with statistics and weights that are not those of its start.
template <typename BatchNormHolder>
BatchNormHolder used_batch_norm(int64_t channels) {
  BatchNormHolder norm(channels);
  torch::NoGradGuard no_grad;
  norm->running_mean.copy_(normal({channels}, 2));
  norm->running_var.copy_(normal({channels}, 3).square() + 0.1);
  norm->weight.copy_(normal({channels}, 4));
  norm->bias.copy_(normal({channels}, 5));
  return norm;
}

/// A derived class that computes something else.
struct SquaringImpl : nn::LinearImpl {
  using nn::LinearImpl::LinearImpl;
  torch::Tensor forward(const torch::Tensor& x) { return nn::LinearImpl::forward(x).square(); }
};
TORCH_MODULE(Squaring);

/// A module of one's own that describes itself by what it is made of: ELU(Wx + b) + x, twice as wide.
struct BlockImpl : nn::Module, GraphSource {
  BlockImpl() : inner(nn::Linear(4, 4), nn::ELU()), wide(4, 8) {
    register_module("inner", inner);
    register_module("wide", wide);
  }
  torch::Tensor forward(const torch::Tensor& x) { return wide->forward(inner->forward(x) + x); }
  Graph graph() const override {
    Graph all;
    const size_t main = all.append(graph_of(*inner), 0, "inner");
    all.append(graph_of(*wide), all.add(Sum{}, {main, 0}), "wide");
    return all;
  }
  nn::Sequential inner;
  nn::Linear wide;
};
TORCH_MODULE(Block);

}  // namespace

TEST(GraphOf, TheFashionNetwork) {
  FashionCnn net;
  net->to(torch::kDouble);
  expect_same_function(net, normal({3, 1, 28, 28}), 1e-13);
}

TEST(GraphOf, TheLinearModelWhateverTheShapeOfItsInputs) {
  LinearModel net(LinearModelOptions(6, 4));
  net->to(torch::kDouble);
  expect_same_function(net, normal({5, 3, 2}), 1e-13);
  expect_same_function(net, normal({5, 6}), 1e-13);
}

TEST(GraphOf, TheMultilayerPerceptron) {
  Mlp net(MlpOptions(6, 4).hidden({7, 5}));
  net->to(torch::kDouble);
  expect_same_function(net, normal({5, 3, 2}), 1e-13);
}

TEST(GraphOf, EveryActivation) {
  const auto x = 3 * normal({5, 6});
  expect_same_function(sequential(nn::ELU()), x);
  expect_same_function(sequential(nn::ELU(nn::ELUOptions().alpha(0.3))), x);
  expect_same_function(sequential(nn::ReLU()), x);
  expect_same_function(sequential(nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2))), x);
  expect_same_function(sequential(nn::Tanh()), x);
  expect_same_function(sequential(nn::Sigmoid()), x);
}

TEST(GraphOf, DenseLayersWithAndWithoutBias) {
  const auto net = sequential(nn::Linear(6, 5), nn::Linear(nn::LinearOptions(5, 3).bias(false)));
  expect_same_function(net, normal({4, 6}));
  expect_same_function(net, normal({4, 2, 6}));
}

TEST(GraphOf, ConvolutionsOfEveryStridePaddingDilationAndGrouping) {
  const auto x = normal({2, 4, 9, 11});
  const auto options = [] { return nn::Conv2dOptions(4, 6, {3, 5}); };
  expect_same_function(sequential(nn::Conv2d(options())), x);
  expect_same_function(sequential(nn::Conv2d(options().stride({2, 3}).padding({1, 2}).bias(false))), x);
  expect_same_function(sequential(nn::Conv2d(options().dilation({3, 2}).padding(4).groups(2))), x);
  expect_same_function(sequential(nn::Conv2d(options().padding(torch::kSame).dilation({2, 1}))), x);
  expect_same_function(sequential(nn::Conv2d(options().padding(torch::kValid))), x);
}

TEST(GraphOf, BothKindsOfPooling) {
  const auto x = normal({2, 3, 9, 11});
  expect_same_function(sequential(nn::MaxPool2d(2)), x);
  expect_same_function(sequential(nn::MaxPool2d(nn::MaxPool2dOptions({3, 2}).stride({2, 1}).padding({1, 0}))), x);
  expect_same_function(sequential(nn::AvgPool2d(2)), x);
  expect_same_function(sequential(nn::AvgPool2d(nn::AvgPool2dOptions({3, 4}).stride({1, 3}).padding({1, 2}))), x);
}

TEST(GraphOf, BatchNormsInEvaluationMode) {
  expect_same_function(sequential(used_batch_norm<nn::BatchNorm1d>(6)), normal({5, 6}));
  expect_same_function(sequential(used_batch_norm<nn::BatchNorm2d>(3)), normal({5, 3, 4, 2}));
  expect_same_function(sequential(nn::BatchNorm1d(nn::BatchNorm1dOptions(6).affine(false).eps(0.1))), normal({5, 6}));
}

TEST(GraphOf, LeavesOutWhatDoesNothingInEvaluationMode) {
  const auto net = sequential(nn::Dropout(0.5), nn::Linear(6, 2), nn::Identity(), nn::Dropout2d(0.5));
  EXPECT_EQ(graph_of(net).nodes.size(), 1u);
  expect_same_function(net, normal({5, 6}));
}

TEST(GraphOf, AWholeSequential) {
  const auto net = sequential(nn::Conv2d(nn::Conv2dOptions(1, 2, 3)), nn::ELU(), nn::MaxPool2d(2), nn::Flatten(),
                              nn::Linear(18, 4), Block());
  EXPECT_EQ(graph_of(net).nodes.size(), 9u);
  expect_same_function(net, normal({3, 1, 8, 8}));
}

TEST(GraphOf, ASingleLayerIsThatLayer) {
  nn::Linear dense(6, 2);
  dense->to(torch::kDouble);
  expect_same_function(dense, normal({5, 6}));
}

TEST(GraphOf, SharesTheWeightsOfTheModelWithoutGradients) {
  LinearModel net(LinearModelOptions(6, 4));
  const auto graph = graph_of(net);
  const auto& dense = std::get<Dense>(graph.nodes[1].operation);
  EXPECT_FALSE(dense.weight.requires_grad());
  torch::NoGradGuard no_grad;
  net->named_parameters()["dense.weight"].fill_(3);
  EXPECT_TRUE(identical(dense.weight, torch::full({4, 6}, 3.0f)));
}

TEST(GraphOf, IsCalledByShortNames) {
  std::vector<std::string> names;
  for (const auto& node : graph_of(FashionCnn()).nodes) names.push_back(describe(node.operation));
  const std::vector<std::string> expected{"conv 3×3 1→32", "max pool 2×2", "ELU",     "conv 3×3 32→64",
                                          "max pool 2×2",  "ELU",          "flatten", "dense 2304→128",
                                          "ELU",           "dense 128→10"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(describe(Elu{0.5}), "ELU(0.5)");
  EXPECT_EQ(describe(LeakyRelu{0.01}), "leaky ReLU(0.01)");
  EXPECT_EQ(describe(AveragePool{{2, 3}}), "average pool 2×3");
  EXPECT_EQ(describe(Sum{}), "sum");
  EXPECT_EQ(describe(Concatenation{}), "concatenation");
}

TEST(GraphOf, RefusesALayerThatIsNotKnownAndNamesIt) {
  expect_error([] { graph_of(sequential(nn::Linear(3, 2), nn::Softmax(1))); },
               "layer 1 (torch::nn::SoftmaxImpl) is not a layer that arks knows");
  expect_error([] { graph_of(sequential(nn::ReLU(), nn::Linear(3, 3), nn::LayerNorm(nn::LayerNormOptions({3})))); },
               "layer 2 (torch::nn::LayerNormImpl) is not a layer that arks knows");
  expect_error([] { graph_of(sequential(nn::Functional(torch::relu))); }, "layer 0 (torch::nn::FunctionalImpl)");
  expect_error([] { graph_of(nn::Softmax(1)); }, "model torch::nn::SoftmaxImpl is not a layer that arks knows");
}

TEST(GraphOf, RefusesAClassDerivedFromAKnownOne) {
  expect_error([] { graph_of(sequential(Squaring(3, 2))); }, "SquaringImpl) is not a layer that arks knows");
}

/// The branch overwrites what the shortcut adds.
struct OverwritingImpl : nn::Module, GraphSource {
  OverwritingImpl() { register_module("main", main); }
  torch::Tensor forward(const torch::Tensor& x) { return main->forward(x) + x; }
  Graph graph() const override {
    Graph graph;
    graph.append(graph_of(*main), 0, "main");
    graph.add(Sum{}, {graph.output, 0});
    return graph;
  }
  nn::Sequential main{nn::ELU(nn::ELUOptions().alpha(2.5).inplace(true)), nn::Linear(3, 3)};
};

TEST(GraphOf, IsComparedWithTheModel) {
  const Model model(std::make_shared<OverwritingImpl>());
  EXPECT_NO_THROW(graph_of(model));
  expect_error([&] { graph_of(model, {3}); }, "its layers are not what its forward computes");
  // one that overwrites its inputs, and nothing else
  const Model in_place(nn::Sequential(nn::ELU(nn::ELUOptions().inplace(true)), nn::Linear(3, 2)));
  EXPECT_EQ(graph_of(in_place, {3}).nodes.size(), 2U);
}

TEST(GraphOf, RefusesAFunction) {
  expect_error([] { graph_of(Model([](const torch::Tensor& x) { return x; })); },
               "the layers of a function are not known");
}

TEST(GraphOf, RefusesTheVariantsThatAreNotKnown) {
  const auto conv = [] { return nn::Conv2dOptions(1, 1, 4); };
  expect_error([&] { graph_of(sequential(nn::Conv2d(conv().padding(1).padding_mode(torch::kCircular)))); },
               "only zero padding of a convolution is supported");
  expect_error([&] { graph_of(sequential(nn::Conv2d(conv().padding(torch::kSame)))); },
               "only where both sides get the same padding");
  expect_error([] { graph_of(sequential(nn::MaxPool2d(nn::MaxPool2dOptions(2).ceil_mode(true)))); }, "ceil_mode");
  expect_error([] { graph_of(sequential(nn::MaxPool2d(nn::MaxPool2dOptions(2).dilation(2)))); }, "dilation");
  expect_error([] { graph_of(sequential(nn::AvgPool2d(nn::AvgPool2dOptions(2).padding(1).count_include_pad(false)))); },
               "uncounted padding");
  expect_error([] { graph_of(sequential(nn::AvgPool2d(nn::AvgPool2dOptions(2).divisor_override(3)))); },
               "divisor_override");
  expect_error([] { graph_of(sequential(nn::BatchNorm1d(nn::BatchNorm1dOptions(3).track_running_stats(false)))); },
               "without running statistics");
  expect_error([] { graph_of(sequential(nn::Flatten(nn::FlattenOptions().start_dim(2)))); },
               "everything but the batch");
}

}  // namespace arks
