#include "model/reinitialise.h"
#include "model/scripts.h"
#include "support/testing.h"

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/normalization.h>

namespace arks {

using testing::expect_error;
using testing::identical;

namespace {

double largest(const torch::Tensor& tensor) {
  return tensor.abs().max().item<double>();
}

}  // namespace

TEST(Reinitialise, DrawsWeightsAsTorchDoes) {
  torch::nn::Sequential net(torch::nn::Conv2d(4, 60, 5), torch::nn::Linear(400, 50));
  const auto children = net->children();
  reinitialise(Model(net), 3);
  const auto& conv = *children[0]->as<torch::nn::Conv2d>();
  const auto& dense = *children[1]->as<torch::nn::Linear>();
  // fan_in 4·5·5 = 100 and 400
  for (const auto& tensor : {conv.weight, conv.bias}) {
    EXPECT_LE(largest(tensor), 0.1);
    EXPECT_GT(largest(tensor), 0.09);
  }
  EXPECT_LE(largest(dense.weight), 0.05);
  EXPECT_NEAR(dense.weight.std().item<double>(), 0.05 / std::sqrt(3), 1e-3);
  EXPECT_NEAR(dense.weight.mean().item<double>(), 0, 1e-3);
}

TEST(Reinitialise, ResetsNormsAndTheirStatistics) {
  torch::nn::Sequential net(torch::nn::BatchNorm1d(3), torch::nn::LayerNorm(torch::nn::LayerNormOptions({2, 3})));
  {
    torch::NoGradGuard no_grad;
    for (auto& tensor : net->parameters()) tensor.fill_(7);
    for (auto& tensor : net->buffers()) tensor.fill_(7);
  }
  EXPECT_TRUE(reinitialise(Model(net), 0).empty());
  for (const auto& item : net->named_parameters()) {
    const bool weight = item.key().find("weight") != std::string::npos;
    EXPECT_TRUE(torch::equal(item.value(), torch::full_like(item.value(), weight ? 1 : 0))) << item.key();
  }
  EXPECT_EQ(net->named_buffers()["0.running_mean"].sum().item<float>(), 0);
  EXPECT_EQ(net->named_buffers()["0.running_var"].sum().item<float>(), 3);
  EXPECT_EQ(net->named_buffers()["0.num_batches_tracked"].item<int64_t>(), 0);
}

TEST(Reinitialise, KeepsPreluNonlinearAndLeavesWhatIsNotTrained) {
  torch::nn::Sequential net(torch::nn::Linear(3, 4), torch::nn::PReLU(), torch::nn::Linear(4, 2));
  const auto& prelu = *net->children()[1]->as<torch::nn::PReLU>();
  const auto& frozen = *net->children()[2]->as<torch::nn::Linear>();
  {
    torch::NoGradGuard no_grad;
    for (auto& tensor : net->parameters()) tensor.fill_(7);
  }
  for (auto& parameter : net->children()[2]->parameters()) parameter.set_requires_grad(false);
  EXPECT_EQ(reinitialise(Model(net), 0), (std::vector<std::string>{"2.weight", "2.bias"}));
  EXPECT_EQ(prelu.weight.item<float>(), 0.25F);
  EXPECT_EQ(largest(frozen.weight - 7), 0);
}

TEST(Reinitialise, DependsOnTheSeedAndOnNothingElse) {
  const auto drawn = [](uint64_t seed) {
    const auto model = load_torchscript(testing::bytes_of(testing::scripted_net()), "net.pt");
    torch::manual_seed(seed * 17 + 5);
    reinitialise(model, seed);
    return model.state()[0].second.detach().clone();
  };
  EXPECT_TRUE(identical(drawn(1), drawn(1)));
  EXPECT_FALSE(identical(drawn(1), drawn(2)));
}

TEST(Reinitialise, ReachesTheProgramAndNamesWhatItLeaves) {
  auto script = testing::script_module("__torch__.Net");
  script.register_parameter("weight", torch::full({6, 2}, 9.0F).set_requires_grad(true), false);
  script.register_parameter("temperature", torch::full({1}, 9.0F).set_requires_grad(true), false);
  script.register_buffer("offset", torch::full({1}, 9.0F));
  script.define("def forward(self, x):\n    return torch.matmul(x, self.weight) / self.temperature + self.offset\n");
  const auto model = load_torchscript(testing::bytes_of(script), "net.pt");
  const std::vector<std::string> left{"temperature", "offset"};
  EXPECT_EQ(reinitialise(model, 0), left);
  EXPECT_LT(largest(model(torch::ones({1, 6})) - 9), 6 / std::sqrt(2) / 9);
}

TEST(Reinitialise, LeavesBuffersOfANormThatAreNoStatistics) {
  auto script = testing::script_module("__torch__.InputNorm");
  script.register_parameter("matrix", torch::full({6, 2}, 9.0F).set_requires_grad(true), false);
  script.register_buffer("weight", torch::full({1}, 9.0F));
  script.define("def forward(self, x):\n    return torch.matmul(x, self.matrix) * self.weight\n");
  const auto model = load_torchscript(testing::bytes_of(script), "net.pt");
  EXPECT_EQ(reinitialise(model, 0), (std::vector<std::string>{"weight"}));
  EXPECT_EQ(model.module()->named_buffers()["weight"].item<float>(), 9.0F);
}

TEST(Reinitialise, RefusesAModelWithoutParameters) {
  expect_error([] { reinitialise(testing::program("def forward(self, x):\n    return x\n"), 0); },
               "has no parameters that could be redrawn");
}

}  // namespace arks
