#include "support/testing.h"

#include <torch/script.h>

#include <cmath>
#include <map>
#include <sstream>

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

ResNet20 with(Activation activation) {
  return ResNet20(ResNet20Options().activation(activation));
}

constexpr Activation kAll[] = {Activation::kRelu, Activation::kElu, Activation::kLeakyRelu};

std::map<std::string, torch::Tensor> state(const ResNet20& net) {
  std::map<std::string, torch::Tensor> named;
  for (const auto& [name, tensor] : Model(net).state()) named[name] = tensor.detach().clone();
  return named;
}

/// Statistics and scales away from those of a fresh batch norm, so that none can be left out unseen.
void unsettle(ResNet20& net) {
  torch::NoGradGuard no_grad;
  uint64_t seed = 100;
  for (auto& [name, tensor] : Model(net).state()) {
    // to() has turned the counters into float64 with the rest
    if (name.find("norm") == std::string::npos || name.find("tracked") != std::string::npos) continue;
    tensor.copy_((name.find("bias") != std::string::npos ? 0.0 : 1.0) + 0.2 * normal(tensor.sizes().vec(), ++seed));
  }
}

}  // namespace

TEST(ResNet20, Has293562WeightsInThePublishedShapes) {
  ResNet20 net;
  const auto w = state(net);
  int64_t count = 0, convolutions = 0;
  for (const auto& item : net->named_parameters()) {
    count += item.value().numel();
    if (item.value().dim() == 4) ++convolutions;
    EXPECT_EQ(item.value().dim() == 4,
              item.key().find("conv") != std::string::npos || item.key().find("shortcut.weight") != std::string::npos)
        << item.key() << ": a convolution has no bias";
  }
  EXPECT_EQ(count, 293562);
  EXPECT_EQ(convolutions, 1 + 18 + 9);
  EXPECT_EQ(w.at("conv.weight").sizes(), (std::vector<int64_t>{16, 3, 3, 3}));
  EXPECT_EQ(w.at("block3.conv2.weight").sizes(), (std::vector<int64_t>{16, 16, 3, 3}));
  EXPECT_EQ(w.at("block4.conv1.weight").sizes(), (std::vector<int64_t>{32, 16, 3, 3}));
  EXPECT_EQ(w.at("block1.shortcut.weight").sizes(), (std::vector<int64_t>{16, 16, 1, 1})) << "in every block";
  EXPECT_EQ(w.at("block7.shortcut.weight").sizes(), (std::vector<int64_t>{64, 32, 1, 1}));
  EXPECT_EQ(w.at("block9.shortcut_norm.weight").sizes(), (std::vector<int64_t>{64}));
  EXPECT_EQ(w.at("dense.weight").sizes(), (std::vector<int64_t>{10, 1024}));
}

TEST(ResNet20, GivesOneLogitForEachClass) {
  const auto x = torch::zeros({3, 3, 32, 32});
  EXPECT_EQ(ResNet20()->forward(x).sizes(), (std::vector<int64_t>{3, 10}));
  EXPECT_EQ(ResNet20(ResNet20Options().num_classes(2))->forward(x).sizes(), (std::vector<int64_t>{3, 2}));
}

namespace {

/// The network of the header by hand, with the weights of the model, in libtorch's own modules' terms.
class ByHand {
 public:
  ByHand(const ResNet20& net, Activation activation)
      : state_(state(net)), activation_(activation), training_(net->is_training()) {}

  torch::Tensor operator()(const torch::Tensor& x) {
    auto h = active(conv_norm(x, "conv", "norm", 1));
    for (int block = 1; block <= 9; ++block) {
      const auto name = c10::str("block", block, ".");
      const int64_t stride = block == 4 || block == 7 ? 2 : 1;
      auto main = active(conv_norm(h, name + "conv1", name + "norm1", stride));
      main = conv_norm(main, name + "conv2", name + "norm2", 1);
      h = active(main + conv_norm(h, name + "shortcut", name + "shortcut_norm", stride));
    }
    return torch::linear(torch::avg_pool2d(h, 2).flatten(1), state_["dense.weight"], state_["dense.bias"]);
  }

  std::map<std::string, torch::Tensor>& moved() { return state_; }

 private:
  torch::Tensor active(const torch::Tensor& x) const {
    if (activation_ == Activation::kRelu) return torch::relu(x);
    return activation_ == Activation::kElu ? torch::elu(x) : torch::leaky_relu(x, 0.01);
  }
  torch::Tensor conv_norm(const torch::Tensor& x, const std::string& conv, const std::string& norm, int64_t stride) {
    const auto& weight = state_.at(conv + ".weight");
    return torch::batch_norm(torch::conv2d(x, weight, {}, stride, weight.size(2) / 2), state_.at(norm + ".weight"),
                             state_.at(norm + ".bias"), state_.at(norm + ".running_mean"),
                             state_.at(norm + ".running_var"), training_, 0.1, 1e-5, false);
  }

  std::map<std::string, torch::Tensor> state_;
  Activation activation_;
  bool training_;
};

}  // namespace

TEST(ResNet20, ComputesWhatIsWrittenInBothModes) {
  const auto x = normal({2, 3, 32, 32});
  for (const auto activation : kAll) {
    for (const bool training : {false, true}) {
      auto net = with(activation);
      net->to(torch::kDouble);
      unsettle(net);
      net->train(training);
      ByHand by_hand(net, activation);
      const auto expected = by_hand(x);
      // the same operations; logits of order 1 to 10
      EXPECT_LT(max_difference(net->forward(x), expected), 1e-12) << describe(operation_of(activation));
      for (const auto& [name, tensor] : state(net)) {
        if (name.find("running") == std::string::npos) continue;
        EXPECT_LT(max_difference(tensor, by_hand.moved().at(name)), 1e-13) << name;
      }
      EXPECT_EQ(state(net).at("block5.norm1.num_batches_tracked").item<double>(), training ? 1 : 0);
    }
  }
}

TEST(ResNet20, HasThePrintedShapes) {
  const auto graph = graph_of(Model(ResNet20()));
  EXPECT_EQ(graph.nodes.size(), 3U + 9 * 9 + 3);
  const auto shapes = shapes_of(graph, {3, 32, 32});
  EXPECT_EQ(shapes[graph.output], (std::vector<int64_t>{10}));
  EXPECT_EQ(shapes[graph.output - 3], (std::vector<int64_t>{64, 8, 8})) << "before the pooling";
}

TEST(ResNet20, TreatsEverySampleOnItsOwnInEvaluationModeOnly) {
  ResNet20 net;
  net->to(torch::kDouble);
  const auto x = normal({4, 3, 32, 32});
  EXPECT_GT(max_difference(net->forward(x)[2], net->forward(x.slice(0, 2, 3))[0]), 1e-3) << "batch norm mixes a batch";
  net->eval();
  EXPECT_LT(max_difference(net->forward(x)[2], net->forward(x.slice(0, 2, 3))[0]), 1e-12);
}

TEST(ResNet20, IsTheSameFromTheSameSeedWhateverTheGlobalGeneratorSays) {
  torch::manual_seed(1);
  const auto one = state(ResNet20(ResNet20Options().seed(5)));
  torch::manual_seed(2);
  const auto two = state(ResNet20(ResNet20Options().seed(5))), other = state(ResNet20(ResNet20Options().seed(6)));
  for (const auto& [name, tensor] : one) {
    EXPECT_TRUE(identical(tensor, two.at(name))) << name;
    const bool drawn = name.find("norm") == std::string::npos;
    EXPECT_EQ(identical(tensor, other.at(name)), !drawn) << name;
  }
}

TEST(ResNet20, StartsWithKaimingNormalWeights) {
  for (const auto& [name, tensor] : state(ResNet20())) {
    if (tensor.dim() < 2) continue;
    // the deviation of n normal numbers is known to 1/√(2n); four times that is allowed
    const double expected = std::sqrt(2.0 / static_cast<double>(tensor[0].numel()));
    const double margin = 4 / std::sqrt(2.0 * static_cast<double>(tensor.numel()));
    EXPECT_NEAR(tensor.std().item<double>() / expected, 1, margin) << name;
    EXPECT_NEAR(tensor.mean().item<double>() / expected, 0, 4 / std::sqrt(static_cast<double>(tensor.numel()))) << name;
    if (tensor.numel() > 10000) EXPECT_GT(tensor.abs().max().item<double>(), 3 * expected) << name << " is normal";
  }
  const auto w = state(ResNet20());
  EXPECT_LE(w.at("dense.bias").abs().max().item<double>(), 1 / 32.0);
  EXPECT_GT(w.at("dense.bias").abs().max().item<double>(), 0);
  EXPECT_TRUE(identical(w.at("block2.norm1.weight"), torch::ones({16})));
  EXPECT_TRUE(identical(w.at("block2.norm1.bias"), torch::zeros({16})));
}

TEST(ResNet20, InputGradientMatchesDifferencesInBothModes) {
  // ELU: on the kinks of ReLU differences are worth nothing, and there are thousands of them
  auto net = with(Activation::kElu);
  net->to(torch::kDouble);
  unsettle(net);
  const auto base = normal({2, 3, 32, 32}, 3);
  for (const bool training : {false, true}) {
    net->train(training);
    // a few pixels, since every coordinate costs two passes
    const auto logits = [&](const torch::Tensor& pixels) {
      auto x = base.clone();
      x[0][1][14].narrow(0, 12, 6) = pixels;
      return net->forward(x);
    };
    expect_derivative_matches(logits, base[0][1][14].narrow(0, 12, 6).clone());
  }
}

TEST(ResNet20, TorchScriptIsTheSameInBothModesAndMovesTheSameStatistics) {
  const auto x = normal({2, 3, 32, 32});
  for (const auto activation : kAll) {
    auto net = with(activation);
    net->to(torch::kDouble);
    unsettle(net);
    std::istringstream bytes(to_torchscript(Model(net)));
    auto script = torch::jit::load(bytes);
    for (const bool training : {false, true, true, false}) {
      script.train(training);
      net->train(training);
      EXPECT_LT(max_difference(script.forward({x}).toTensor(), net->forward(x)), 1e-12);
      const auto moved = state(net);
      for (const auto& item : script.named_buffers()) {
        EXPECT_LT(max_difference(item.value, moved.at(item.name)), 1e-13) << item.name;
      }
    }
    EXPECT_EQ(state(net).at("block9.norm2.num_batches_tracked").item<double>(), 2);
  }
}

TEST(ResNet20, InTorchScriptABatchNormCanBeHeldStillByItself) {
  ResNet20 net;
  std::istringstream bytes(to_torchscript(Model(net)));
  auto script = torch::jit::load(bytes);
  script.train();
  script.attr("block2").toModule().attr("norm1").toModule().eval();
  script.forward({torch::rand({2, 3, 32, 32})});
  for (const auto& item : script.named_buffers()) {
    if (item.name.find("tracked") == std::string::npos) continue;
    EXPECT_EQ(item.value.item<int64_t>(), item.name.find("block2.norm1") == std::string::npos ? 1 : 0) << item.name;
  }
}

TEST(ResNet20, RefusesOtherShapes) {
  ResNet20 net;
  expect_error(
      [&] {
        net->forward(torch::zeros({2, 1, 32, 32}));
      },
      "resnet20: inputs must have shape [n, 3, 32, 32], got [2, 1, 32, 32]");
  expect_error([&] { net->forward(torch::zeros({3, 32, 32})); }, "got [3, 32, 32]");
  expect_error([&] { net->forward(torch::zeros({2, 3, 64, 48})); }, "got [2, 3, 64, 48]");
  expect_error([] { ResNet20 one(ResNet20Options().num_classes(1)); }, "num_classes must be at least 2, got 1");
}

}  // namespace arks
