#include "support/testing.h"

#include <arks/model/cnn.h>
#include <torch/nn/functional/conv.h>
#include <torch/nn/functional/pooling.h>
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

using Shape = std::vector<int64_t>;

/// What every operation with weights is, and the height and width behind every pooling.
std::vector<std::string> layers_of(const Cnn& net) {
  std::vector<std::string> layers;
  const auto graph = net->graph();
  const auto shapes = shapes_of(graph, net->sample_shape());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto& operation = graph.nodes[i].operation;
    if (std::holds_alternative<MaxPool>(operation)) {
      layers.push_back(c10::str(shapes[i + 1][1], "x", shapes[i + 1][2]));
    } else if (graph.nodes[i].name && !graph.nodes[i].name->empty()) {
      layers.push_back(describe(operation));
    }
  }
  return layers;
}

}  // namespace

TEST(Cnn, IsConvolutionPoolingAndEluThenADenseLayer) {
  namespace F = torch::nn::functional;
  Cnn model(CnnOptions({3, 9, 13}, 4).width(2));
  model->to(torch::kDouble);
  const auto weights = model->named_parameters();
  const auto x = normal({5, 3, 9, 13});
  const auto layer = [&](const torch::Tensor& in, const std::string& name, std::vector<int64_t> window) {
    const auto sums =
        F::conv2d(in, weights[name + ".weight"], F::Conv2dFuncOptions().bias(weights[name + ".bias"]).padding(1));
    // ELU in front of the pooling, as networks are usually written
    return F::max_pool2d(torch::elu(sums), F::MaxPool2dFuncOptions(window).stride(window));
  };
  const auto expected =
      torch::linear(layer(x, "conv1", {2, 2}).flatten(1), weights["dense.weight"], weights["dense.bias"]);
  EXPECT_EQ(expected.sizes(), (Shape{5, 4}));
  EXPECT_LT(max_difference(model->forward(x), expected), 1e-13);
  expect_derivative_matches([&](const torch::Tensor& u) { return model->forward(u); }, x.narrow(0, 0, 1));
}

TEST(Cnn, FitsTheShape) {
  using Layers = std::vector<std::string>;
  const auto layers = [](Shape shape) { return layers_of(Cnn(CnnOptions(std::move(shape), 3).width(8))); };
  EXPECT_EQ(layers({1, 8, 8}), (Layers{"conv 3×3 1→8", "4x4", "dense 128→3"}));
  EXPECT_EQ(layers({1, 20, 20}), (Layers{"conv 3×3 1→8", "10x10", "conv 3×3 8→16", "5x5", "dense 400→3"}));
  EXPECT_EQ(layers({3, 64, 64}), (Layers{"conv 3×3 3→8", "32x32", "conv 3×3 8→16", "16x16", "conv 3×3 16→32", "8x8",
                                         "conv 3×3 32→32", "4x4", "dense 512→3"}));
  EXPECT_EQ(layers({1, 8, 64}), (Layers{"conv 3×3 1→8", "4x32", "conv 3×3 8→16", "4x16", "conv 3×3 16→32", "4x8",
                                        "conv 3×3 32→32", "4x4", "dense 512→3"}))
      << "a side that is short enough is kept";
  EXPECT_EQ(layers({3, 65, 65}),
            (Layers{"conv 3×3 3→8", "16x16", "conv 3×3 8→16", "8x8", "conv 3×3 16→32", "4x4", "dense 512→3"}))
      << "stride 2 once";
  EXPECT_EQ(layers({3, 256, 129}), (Layers{"conv 3×3 3→8", "64x32", "conv 3×3 8→16", "16x8", "conv 3×3 16→32", "8x4",
                                           "conv 3×3 32→32", "4x4", "dense 512→3"}))
      << "stride 2 twice";
}

TEST(Cnn, EndsOnFourToSevenCellsOnEverySide) {
  for (int64_t side = 8; side <= 256; ++side) {
    Cnn model(CnnOptions({1, side, 264 - side}, 2).width(1));
    const auto shapes = shapes_of(model->graph(), model->sample_shape());
    const auto& last = shapes[shapes.size() - 3];  // in front of flatten and dense
    for (const size_t axis : {1, 2}) {
      EXPECT_GE(last[axis], 4) << side;
      EXPECT_LE(last[axis], 7) << side;
    }
  }
}

TEST(Cnn, ImagesOfAllSizesCostAboutTheSame) {
  const auto products = [](int64_t side) {
    Cnn model(CnnOptions({3, side, side}, 2).width(32));
    const auto graph = model->graph();
    const auto shapes = shapes_of(graph, model->sample_shape());
    int64_t sum = 0;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const auto* layer = std::get_if<Convolution>(&graph.nodes[i].operation);
      if (layer != nullptr) sum += layer->weight.numel() * shapes[i + 1][1] * shapes[i + 1][2];
    }
    return sum;
  };
  EXPECT_LT(products(256), 1.5 * products(64));
  EXPECT_LT(products(128), 1.5 * products(64));
}

TEST(Cnn, TheWidthFollowsTheNumberOfImages) {
  EXPECT_EQ(cnn_width(10), 8);
  EXPECT_EQ(cnn_width(499), 8);
  EXPECT_EQ(cnn_width(500), 16);
  EXPECT_EQ(cnn_width(4999), 16);
  EXPECT_EQ(cnn_width(5000), 32);
}

TEST(Cnn, NormalisesBehindEveryConvolutionOnRequest) {
  Cnn model(CnnOptions({3, 16, 16}, 2).width(4).batch_norm(true));
  std::vector<std::string> names;
  for (const auto& item : model->named_parameters()) names.push_back(item.key());
  EXPECT_EQ(names, (std::vector<std::string>{"conv1.weight", "norm1.weight", "norm1.bias", "conv2.weight",
                                             "norm2.weight", "norm2.bias", "dense.weight", "dense.bias"}));
  EXPECT_EQ(model->named_buffers().size(), 6U);
}

TEST(Cnn, WritesAScript) {
  for (const bool norm : {false, true}) {
    Cnn net(CnnOptions({3, 70, 11}, 2).width(4).batch_norm(norm));
    net->eval();
    const auto x = normal({2, 3, 70, 11}).to(torch::kFloat);
    std::istringstream bytes(to_torchscript(Model(net)));
    auto script = torch::jit::load(bytes);
    script.eval();
    EXPECT_LT(max_difference(script.forward({x}).toTensor(), Model(net)(x)), 1e-6) << norm;
  }
}

TEST(Cnn, PredictionsNeitherFadeNorGrowThroughTheLayers) {
  for (const int64_t side : {8, 64, 256}) {
    Cnn model(CnnOptions({3, side, side}, 10).width(16));
    torch::NoGradGuard no_grad;
    const double size = model->forward(torch::rand({4, 3, side, side})).pow(2).mean().sqrt().item<double>();
    EXPECT_GT(size, 0.1) << side;
    EXPECT_LT(size, 10) << side;
  }
}

TEST(Cnn, RefusesWhatIsNoImageOrTooSmall) {
  expect_error([] { Cnn model(CnnOptions({10}, 2)); }, "cnn takes images of [channels, height, width], both sides at");
  expect_error([] { Cnn model(CnnOptions({1, 7, 20}, 2)); }, "both sides at least 8, got [1, 7, 20]");
  expect_error([] { Cnn model(CnnOptions({1, 8, 8}, 0)); }, "cnn: outputs must be positive, got 0");
  expect_error([] { Cnn model(CnnOptions({1, 8, 8}, 2).width(0)); }, "cnn: width must be positive, got 0");
  Cnn model(CnnOptions({1, 8, 9}, 2));
  expect_error([&] { model->forward(torch::zeros({2, 1, 9, 8})); }, "cnn: inputs must have shape [n, 1, 8, 9]");
}

}  // namespace arks
