// Where rounding or a limit decides: exact ties in max pooling, saturated activations, numbers that are not finite.
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/pooling.h>

#include <limits>

#include "engine/networks.h"

namespace arks {

using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

namespace nn = torch::nn;

/// Weights that are small multiples of 1/4: sums of a few of them times such inputs are exact in any order.
void make_exact(nn::Sequential& net) {
  torch::NoGradGuard no_grad;
  uint64_t seed = 1;
  for (auto& parameter : net->parameters()) {
    parameter.copy_(normal(parameter.sizes().vec(), ++seed).mul(2).round().clamp(-4, 4).div(4));
  }
}

/// What libtorch and the plan, both in float32, give for the input, with dy of whole numbers.
struct BothGradients {
  torch::Tensor plan, libtorch;
};

BothGradients input_gradients(const Model& model, const torch::Tensor& x) {
  const engine::Network network(model, Engine::kAuto);
  const auto compilation = network.compilation(x.sizes().slice(1), /*training=*/false);
  EXPECT_TRUE(compilation.compiled) << compilation.why_not;
  model.train(false);
  const auto gradient = [&](const auto& function) {
    const auto u = x.clone().requires_grad_(true);
    const auto prediction = function(u);
    prediction.backward(normal(prediction.sizes().vec(), 5).mul(3).round().to(torch::kFloat));
    return u.grad();
  };
  return {gradient(network), gradient(model)};
}

/// A constant image, one of two values in a pattern, and one of few values.
std::vector<torch::Tensor> tied_images(std::vector<int64_t> shape) {
  return {torch::full(shape, 0.5), normal(shape, 3).sign().div(2).to(torch::kFloat),
          normal(shape, 4).round().div(2).to(torch::kFloat), torch::zeros(shape)};
}

const std::vector<nn::MaxPool2dOptions> kPoolings{nn::MaxPool2dOptions(2), nn::MaxPool2dOptions(3).stride(2).padding(1),
                                                  nn::MaxPool2dOptions(3).stride(1)};

}  // namespace

TEST(EngineTies, InMaxPoolingGoToTheFirstAsInLibtorch) {
  for (const auto& pooling : kPoolings) {
    for (const int64_t channels : {1, 3, 12}) {
      SCOPED_TRACE(c10::str(pooling.kernel_size(), " stride ", pooling.stride(), ", ", channels, " channels"));
      // of the images; of a convolution of few channels and of many, which are computed in different ways
      const auto padded = nn::Conv2dOptions(channels, 9, 3).padding(1);
      std::vector<nn::Sequential> nets{
          nn::Sequential(nn::MaxPool2d(pooling), nn::Flatten()),
          nn::Sequential(nn::Conv2d(nn::Conv2dOptions(channels, 9, 1)), nn::MaxPool2d(pooling), nn::ReLU(),
                         nn::Flatten()),
          nn::Sequential(nn::ReLU(), nn::MaxPool2d(pooling), nn::Conv2d(nn::Conv2dOptions(channels, 10, 1)),
                         nn::MaxPool2d(pooling), nn::Flatten()),
      };
      if (channels < 5) {
        nets.emplace_back(nn::Conv2d(padded), nn::ReLU(), nn::MaxPool2d(pooling), nn::Flatten());
        nets.emplace_back(nn::Conv2d(padded), nn::MaxPool2d(pooling), nn::Flatten());
      }
      for (auto& net : nets) {
        net->push_back(nn::Linear(net->forward(torch::zeros({1, channels, 8, 10})).numel(), 4));
        make_exact(net);
        for (const auto& x : tied_images({3, channels, 8, 10})) {
          const auto found = input_gradients(net, x);
          EXPECT_LE(max_difference(found.plan, found.libtorch), 1e-6);
        }
      }
    }
  }
}

TEST(EngineTies, OfAnActivationAtItsKinkAreAsInLibtorch) {
  // at exactly zero every kink takes the slope from below
  for (const double alpha : {1.0, 0.5}) {
    nn::Sequential net(nn::Linear(6, 5), nn::ELU(nn::ELUOptions().alpha(alpha)), nn::Linear(5, 4), nn::ReLU(),
                       nn::Linear(4, 5), nn::LeakyReLU(), nn::Linear(5, 3));
    make_exact(net);
    {
      torch::NoGradGuard no_grad;
      for (auto& parameter : net->parameters()) {
        if (parameter.dim() == 1) parameter.zero_();
      }
    }
    for (const auto& x : {torch::zeros({3, 6}), normal({3, 6}).round().to(torch::kFloat)}) {
      const auto found = input_gradients(net, x);
      EXPECT_LE(max_difference(found.plan, found.libtorch), 1e-6 * (1 + found.libtorch.abs().max().item<double>()));
    }
  }
}

TEST(EngineTies, OfSaturatedActivationsAreAsInLibtorch) {
  for (const double alpha : {1.0, 0.5}) {
    SCOPED_TRACE(alpha);
    const auto elu = nn::ELUOptions().alpha(alpha);
    std::vector<nn::Sequential> nets{
        nn::Sequential(nn::ELU(elu), nn::Flatten(), nn::Linear(72, 3)),
        nn::Sequential(nn::Conv2d(nn::Conv2dOptions(2, 9, 1)), nn::ELU(elu), nn::MaxPool2d(2), nn::Flatten(),
                       nn::Linear(81, 3)),
        nn::Sequential(nn::MaxPool2d(2), nn::ELU(elu), nn::Flatten(), nn::Linear(18, 3)),
        nn::Sequential(nn::Tanh(), nn::MaxPool2d(3), nn::Flatten(), nn::Linear(8, 3)),
        nn::Sequential(nn::Sigmoid(), nn::Conv2d(nn::Conv2dOptions(2, 5, 3)), nn::Sigmoid(), nn::Flatten(),
                       nn::Linear(80, 3)),
    };
    // all far out; far out below, above and a few in between
    const auto far = torch::full({4, 2, 6, 6}, -40.0);
    const auto mixed = normal({4, 2, 6, 6}, 2).mul(40).round().to(torch::kFloat);
    for (size_t i = 0; i < nets.size(); ++i) {
      SCOPED_TRACE(c10::str("net ", i));
      make_exact(nets[i]);
      for (const auto& x : {far, far * 5, mixed}) {
        const auto found = input_gradients(nets[i], x);
        EXPECT_LE(max_difference(found.plan, found.libtorch), 2e-6 * (1 + found.libtorch.abs().max().item<double>()));
        const engine::Network network(Model(nets[i]), Engine::kAuto);
        EXPECT_LE(relative_difference(network(x), nets[i]->forward(x)), 1e-6);
      }
    }
  }
}

TEST(EngineTies, ActivationsAreAsInLibtorchAtTheEndsOfTheNumbers) {
  const auto inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto some = torch::tensor({0.0F, 1e-38F, 1e-30F, 1e-8F, 1e-4F, 0.5F, 5.0F, 9.0F, 17.0F, 50.0F, 87.0F, 89.0F,
                                   104.0F, 200.0F, 1e10F, 3e38F, inf, nan});
  const auto x = torch::stack({some, -some});
  const std::vector<nn::Sequential> nets{
      nn::Sequential(nn::ELU()),       nn::Sequential(nn::ELU(nn::ELUOptions().alpha(0.5))),
      nn::Sequential(nn::ReLU()),      nn::Sequential(nn::Tanh()),
      nn::Sequential(nn::LeakyReLU()), nn::Sequential(nn::Sigmoid()),
  };
  for (size_t i = 0; i < nets.size(); ++i) {
    SCOPED_TRACE(c10::str("activation ", i));
    const Model model(nets[i]);
    const engine::Network network(model, Engine::kAuto);
    ASSERT_TRUE(network.compilation(x.sizes().slice(1), false).compiled);
    const auto found = network(x), expected = model(x);
    for (int64_t j = 0; j < x.numel(); ++j) {
      const auto a = found.view(-1)[j].item<double>(), b = expected.view(-1)[j].item<double>();
      const auto at = x.view(-1)[j].item<float>();
      if (std::isfinite(b)) {
        EXPECT_NEAR(a, b, 2e-7 * std::max(1.0, std::abs(b))) << "at " << at;
      } else {
        EXPECT_EQ(std::isnan(a), std::isnan(b)) << "at " << at;
        if (!std::isnan(b)) EXPECT_EQ(a, b) << "at " << at;
      }
    }
    const auto slopes = input_gradients(model, x.narrow(1, 0, 16).contiguous());
    EXPECT_LE(max_difference(slopes.plan, slopes.libtorch), 1e-6);
  }
}

TEST(EngineTies, NumbersThatAreNotFiniteComeThrough) {
  torch::manual_seed(2);
  torch::NoGradGuard no_grad;
  const auto inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::pair<Model, std::vector<int64_t>>> cases{
      {FashionCnn(), {12, 1, 28, 28}},
      {Mlp(MlpOptions(7, 3).activation(Activation::kRelu)), {12, 7}},
      {nn::Sequential(nn::MaxPool2d(2), nn::Conv2d(nn::Conv2dOptions(6, 9, 3).padding(1)), nn::BatchNorm2d(9),
                      nn::LeakyReLU(), nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)), nn::Flatten(),
                      nn::Linear(36, 4), nn::Tanh()),
       {12, 6, 8, 8}},
      {nn::Sequential(nn::Conv2d(nn::Conv2dOptions(16, 32, 3).padding(1)), nn::ELU(),
                      nn::Conv2d(nn::Conv2dOptions(32, 32, 3).padding(1)), nn::AvgPool2d(8), nn::Flatten()),
       {12, 16, 8, 8}},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto& [model, shape] = cases[i];
    model.train(false);
    const engine::Network network(model, Engine::kAuto);
    ASSERT_TRUE(network.compilation(torch::IntArrayRef(shape).slice(1), false).compiled);
    const auto x = normal(shape, 3).to(torch::kFloat);
    const auto clean = network(x);
    for (const float poison : {nan, inf, -inf}) {
      SCOPED_TRACE(c10::str("case ", i, ", ", poison));
      auto poisoned = x.clone();
      for (const int64_t sample : {2, 9}) poisoned[sample].view(-1)[5] = poison;
      const auto found = network(poisoned), expected = model(poisoned);
      for (int64_t sample = 0; sample < x.size(0); ++sample) {
        if (sample == 2 || sample == 9) {
          // never a number where libtorch has none
          EXPECT_FALSE(
              found[sample].isfinite().logical_and(expected[sample].isfinite().logical_not()).any().item<bool>());
          if (std::isnan(poison)) EXPECT_TRUE(found[sample].isnan().all().item<bool>());
        } else {
          EXPECT_TRUE(identical(found[sample], clean[sample])) << "sample " << sample;
        }
      }
    }
  }
}

}  // namespace arks
