#include "certify/loss_bounds.h"
#include "model/scripts.h"
#include "support/testing.h"

#include <torch/csrc/jit/serialization/import.h>

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

DatasetInfo two_channels() {
  DatasetInfo info;
  info.name = "toy";
  info.input_shape = {2, 4, 3};
  info.num_classes = 3;
  return info;
}

torch::jit::Module saved_and_read(const Model& model) {
  std::istringstream stream(to_torchscript(model));
  return torch::jit::load(stream);
}

}  // namespace

TEST(Normalised, ScalesEachChannel) {
  const auto net = make_model("mlp", two_channels(), 1);
  const auto model = normalised(net, {0.5, -1}, {2, 0.25}, {2, 4, 3});
  const auto x = normal({5, 2, 4, 3}).to(torch::kFloat);
  auto scaled = x.clone();
  scaled.select(1, 0).sub_(0.5).div_(2);
  scaled.select(1, 1).add_(1).div_(0.25);
  EXPECT_TRUE(identical(model(x), net(scaled)));
  const auto all = normalised(net, {0.5}, {2}, {2, 4, 3});
  EXPECT_TRUE(identical(all(x), net((x - 0.5) / 2))) << "one number for all";
}

TEST(Normalised, TakesTheFeaturesOfATable) {
  const Model net([](const torch::Tensor& x) { return 2 * x; });
  const auto model = normalised(net, {1, 2, 3}, {1, 10, 100}, {3});
  const auto x = torch::tensor({{2.0F, 12.0F, 203.0F}});
  EXPECT_TRUE(identical(model(x), torch::tensor({{2.0F, 2.0F, 4.0F}})));
}

TEST(Normalised, HasTheWeightsOfTheNetAndNoOthers) {
  const auto net = make_model("mlp", two_channels(), 1);
  const auto model = normalised(net, {0.5}, {2}, {2, 4, 3});
  ASSERT_EQ(model.state().size(), net.state().size());
  for (size_t i = 0; i < model.state().size(); ++i) {
    EXPECT_EQ(model.state()[i].first, "net." + net.state()[i].first);
    EXPECT_TRUE(model.state()[i].second.is_same(net.state()[i].second));
  }
  EXPECT_EQ(model.architecture(), net.architecture());
}

TEST(Normalised, DerivativeMatchesDifferences) {
  const Model net([](const torch::Tensor& x) { return x.square().sum(1, true); });
  const auto model = normalised(net, {1, 2, 3}, {1, 2, 4}, {3});
  testing::expect_derivative_matches([&](const torch::Tensor& x) { return model(x).squeeze(1); }, normal({4, 3}));
}

TEST(Normalised, IsABatchNormInItsGraph) {
  const auto net = make_model("mlp", two_channels(), 1);
  const auto model = normalised(net, {0.5, -1}, {2, 0.25}, {2, 4, 3});
  const auto graph = graph_of(model);
  EXPECT_EQ(graph.nodes.size(), graph_of(net).nodes.size() + 1);
  EXPECT_FALSE(graph.nodes[0].name) << "no part of the state";
  EXPECT_EQ(graph.nodes[2].name, "net.dense1");
  const auto x = normal({5, 2, 4, 3}).to(torch::kFloat);
  EXPECT_LT(max_difference(forward(graph, x), model(x)), 1e-4);
}

TEST(Normalised, IsNowhereNarrowerInItsGraphThanItIs) {
  // the square of a float32 is seldom one: rounded up, a constant that is proved would lie below the truth
  const std::vector<double> deviations{0.3081, 0.2470, 0.2435, 0.2616, 0.2, 0.219, 0.294, 0.5};
  DatasetInfo table = two_channels();
  table.input_shape = {8};
  const auto model = normalised(make_model("linear", table, 1), {0.5}, deviations, {8});
  const auto graph = graph_of(model);
  const auto& variance = std::get<BatchNorm>(graph.nodes[0].operation).variance;
  const auto exact = torch::tensor(deviations, torch::kDouble).to(torch::kFloat).to(torch::kDouble).square();
  EXPECT_EQ(variance.scalar_type(), torch::kFloat);
  EXPECT_TRUE((variance.to(torch::kDouble) <= exact).all().item<bool>());
  EXPECT_LT(max_difference(variance / exact, torch::ones({8}, torch::kDouble)), 1.3e-7);
  EXPECT_EQ(variance[7].item<float>(), 0.25F) << "what is exact stays";
}

TEST(Normalised, HasTheTypeOfTheWeightsAndNotOfACounter) {
  struct Counting : torch::nn::Module, GraphSource {
    Counting() {
      register_buffer("steps", torch::tensor(3, torch::kLong));
      weight = register_buffer("weight", normal({2, 3}).to(torch::kFloat));
    }
    torch::Tensor forward(const torch::Tensor& x) { return torch::linear(x, weight); }
    Graph graph() const override {
      Graph all;
      all.add(Dense{weight, {}}, {0}, "");
      return all;
    }
    torch::Tensor weight;
  };
  const auto model = normalised(Model(std::make_shared<Counting>()), {0.5}, {0.25}, {3});
  const auto x = normal({4, 3}).to(torch::kFloat);
  EXPECT_LT(max_difference(forward(graph_of(model), x), model(x)), 1e-5);
}

TEST(Normalised, ACertificateIsInUnitsOfTheInput) {
  DatasetInfo table;
  table.name = "toy";
  table.input_shape = {6};
  table.num_classes = 3;
  const auto net = make_model("linear", table, 1);
  const double plain = *bound_loss(SupervisedProblem(net, CrossEntropy()), {6}, false).lipschitz;
  const auto model = normalised(net, {5}, {4}, {6});
  const double scaled = *bound_loss(SupervisedProblem(model, CrossEntropy()), {6}, false).lipschitz;
  EXPECT_NEAR(scaled / plain, 0.25, 1e-9);
}

TEST(Normalised, IsPartOfTheTorchScript) {
  const auto x = normal({5, 2, 4, 3}).to(torch::kFloat);
  const auto model = normalised(make_model("mlp", two_channels(), 1), {0.5, -1}, {2, 0.25}, {2, 4, 3});
  auto script = saved_and_read(model);
  EXPECT_LT(max_difference(script.forward({x}).toTensor(), model(x)), 1e-5);
  EXPECT_EQ(script.named_parameters().begin().operator*().name, "net.dense1.weight");

  const auto own = load_torchscript(testing::bytes_of(testing::scripted_net()), "net.pt");
  const auto twice = normalised(normalised(own, {1}, {2}, {6}), {3}, {4}, {6});
  twice.train(false);
  const auto rows = testing::six_numbers(4);
  const auto expected = twice(rows);
  auto again = saved_and_read(twice);
  EXPECT_TRUE(again.attr("net").toModule().attr("net").toModule().is_training()) << "as in the file";
  again.eval();
  EXPECT_LT(max_difference(again.forward({rows}).toTensor(), expected), 1e-5);
  EXPECT_EQ(graph_of(twice, {6}).nodes.size(), 6U);
}

TEST(Normalised, RefusesNumbersThatDoNotFit) {
  const auto net = make_model("mlp", two_channels(), 1);
  expect_error(
      [&] {
        normalised(net, {1, 2, 3}, {1}, {2, 4, 3});
      },
      "3 numbers for mean, but samples of shape [2, 4, 3] have 2 channels");
  expect_error(
      [&] {
        normalised(net, {1}, {1, 1, 1, 1}, {2});
      },
      "4 numbers for std, but samples of shape [2] have 2 features");
  expect_error([&] { normalised(net, {1}, {0}, {2, 4, 3}); }, "std must be positive, got 0");
  expect_error([&] { normalised(net, {1}, {-2}, {2, 4, 3}); }, "std must be positive, got -2");
  expect_error([&] { normalised(net, {INFINITY}, {1}, {2, 4, 3}); }, "mean must be finite");
}

/// Points in time: float32 holds 1.7e9 to within 128 seconds.
TEST(Normalised, KeepsWhatDistinguishesNumbersFarFromZero) {
  DatasetInfo data;
  data.name = "times";
  data.input_shape = {1};
  data.num_classes = 2;
  const auto net = make_model("mlp", data, 1);
  const auto mean = torch::full({1}, 1.7e9, torch::kDouble), deviation = torch::full({1}, 60.0, torch::kDouble);
  const auto model = normalised(net, mean, deviation);
  const auto scaled = normal({8, 1});
  const auto exact = net(scaled.to(torch::kFloat));
  EXPECT_LT(max_difference(model(scaled * deviation + mean), exact), 1e-5);
  auto program = saved_and_read(model);
  const auto raw = scaled * deviation + mean;
  EXPECT_LT(max_difference(program.forward({raw}).toTensor(), exact), 1e-5);
  EXPECT_EQ(program.forward({raw.to(torch::kFloat)}).toTensor().scalar_type(), torch::kFloat);
  const auto loaded = load_torchscript(to_torchscript(model), "times.pt");
  EXPECT_LT(max_difference(loaded(raw), exact), 1e-5);
  expect_error([&] { graph_of(model); }, "is computed in float64");
  const auto read = load_torchscript(to_torchscript(model), "times.pt");
  EXPECT_LT(max_difference(read(raw), exact), 1e-5) << "arks reads it, too";
  EXPECT_EQ(read.floating_type(), torch::kFloat);
  EXPECT_FALSE(std::dynamic_pointer_cast<NormalisedImpl>(normalised(net, mean / 1.7e9, deviation).module())->precise());
  const Model callable([net](const torch::Tensor& x) { return net(x); }, net.parameters());
  EXPECT_LT(max_difference(normalised(callable, mean, deviation)(raw), exact), 1e-5) << "so is a callable";
  const Model plain([](const torch::Tensor& x) { return x; });
  EXPECT_LT(max_difference(normalised(plain, mean, deviation)(raw), scaled), 1e-5) << "whatever its type";
}

}  // namespace arks
