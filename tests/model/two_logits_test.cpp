#include "support/testing.h"

#include <arks/model/two_logits.h>

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::max_difference;
using testing::normal;

TEST(TwoLogits, MakeCrossEntropyTheLogisticLoss) {
  const auto z = torch::tensor({-40.0, -3.0, -1e-3, 0.0, 1e-3, 0.7, 3.0, 40.0}, torch::kDouble);
  const auto model = two_logits(Model([](const torch::Tensor& u) { return u; }));
  for (const int64_t label : {0, 1}) {
    const auto y = torch::full({8}, label, torch::kLong);
    const auto m = z * (1 - 2 * label);
    const auto softplus = m.clamp_min(0) + (-m.abs()).exp().log1p();
    for (const auto& shaped : {z, z.view({8, 1})}) {
      EXPECT_EQ(model(shaped).sizes(), (std::vector<int64_t>{8, 2}));
      EXPECT_LT(((CrossEntropy()(model(shaped), y) - softplus).abs() / softplus).max().item<double>(), 1e-12);
      const auto other = torch::stack({torch::zeros_like(z), z}, 1);
      EXPECT_LT(max_difference(CrossEntropy()(model(shaped), y), CrossEntropy()(other, y)), 1e-14);
      EXPECT_TRUE(CrossEntropy().wrong(model(shaped), y).equal((z > 0) != (y == 1))) << "class 1 is where z > 0";
    }
    expect_derivative_matches([&](const torch::Tensor& u) { return CrossEntropy()(model(u), y); }, z);
  }
  EXPECT_LT(max_difference(model(z).softmax(1).select(1, 1), z.sigmoid()), 1e-15);
}

TEST(TwoLogits, KnowWhatTheyComputeAndSaveTheNetworkAlone) {
  const Mlp net(MlpOptions(6, 1));
  const auto model = two_logits(net);
  EXPECT_TRUE(has_one_logit(model));
  EXPECT_TRUE(has_one_logit(normalised(model, torch::zeros({6}), torch::ones({6}))));
  EXPECT_FALSE(has_one_logit(net));
  const auto graph = graph_of(model, {6});  // compares it with what the model computes
  EXPECT_EQ(graph.nodes.size(), graph_of(Model(net)).nodes.size() + 1);
  const auto x = normal({5, 6}).to(torch::kFloat);
  const auto saved = load_torchscript(to_torchscript(model), "saved");
  EXPECT_LT(max_difference(saved(x), Model(net)(x)), 1e-6);
}

TEST(TwoLogits, TakeOneSampleThatWasSqueezed) {
  const auto model = two_logits(Model([](const torch::Tensor& u) { return u.squeeze(); }));
  EXPECT_EQ(model(torch::ones({1, 1})).sizes(), (std::vector<int64_t>{1, 2}));
  expect_error([&] { model(torch::ones({4, 3})); }, "must give one number for each of 4 samples, got [4, 3]");
}

}  // namespace arks
