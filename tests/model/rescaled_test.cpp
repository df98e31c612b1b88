#include <arks/model/rescaled.h>

#include "model/scripts.h"
#include "support/testing.h"

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

DatasetInfo two_numbers() {
  DatasetInfo info;
  info.name = "toy";
  info.input_shape = {3};
  info.target_names = {"heat", "current"};
  return info;
}

}  // namespace

TEST(Rescaled, ScalesEachOutput) {
  const auto net = make_model("mlp", two_numbers(), 1);
  const auto mean = torch::tensor({100.0, -1.0}, torch::kDouble),
             deviation = torch::tensor({10.0, 0.5}, torch::kDouble);
  const auto model = rescaled(net, mean, deviation);
  const auto x = normal({5, 3}).to(torch::kFloat);
  const auto expected = net(x) * torch::tensor({10.0F, 0.5F}) + torch::tensor({100.0F, -1.0F});
  EXPECT_TRUE(identical(model(x), expected));
  EXPECT_LT(max_difference(forward(graph_of(model), x), expected), 1e-4) << "the graph is the module";
  expect_error([&] { rescaled(net, mean, deviation * 0); }, "deviation must be positive");
  expect_error([&] { rescaled(net, mean / 0, deviation); }, "mean must be finite");
}

/// Numbers that differ by little of what they are, as years in seconds do, are lost in float32.
TEST(Rescaled, IsComputedInFloat64WhereTheMeanIsManyDeviations) {
  const auto net = make_model("mlp", two_numbers(), 1);
  const auto mean = torch::tensor({1e9, 5.0}, torch::kDouble), deviation = torch::tensor({2.0, 1.0}, torch::kDouble);
  const auto model = rescaled(net, mean, deviation);
  const auto x = normal({5, 3}).to(torch::kFloat);
  const auto expected = net(x).to(torch::kDouble) * deviation + mean;
  EXPECT_EQ(model(x).scalar_type(), torch::kDouble);
  EXPECT_LT(max_difference(model(x), expected), 1e-6);
  const auto program = load_torchscript(to_torchscript(model), "far.pt");
  EXPECT_LT(max_difference(program(x), expected), 1e-6) << "as in Python";
  EXPECT_TRUE(identical(inner_program(program).net(x), net(x)));
  expect_error([&] { graph_of(model); }, "computed in float64");
  const auto callable = Model([net](const torch::Tensor& u) { return net(u); }, net.parameters());
  EXPECT_LT(max_difference(rescaled(callable, mean, deviation)(x), expected), 1e-6);
  EXPECT_EQ(rescaled(net, mean / 1e8, deviation)(x).scalar_type(), torch::kFloat);
}

/// What is behind a callable is in training mode for good: batch norm would take the statistics of the batch.
TEST(Rescaled, FollowsTheMode) {
  torch::nn::Sequential net(torch::nn::Linear(3, 4), torch::nn::BatchNorm1d(4), torch::nn::Linear(4, 1));
  const auto model = rescaled(Model(net), torch::ones({1}, torch::kDouble), torch::ones({1}, torch::kDouble));
  model.train(false);
  EXPECT_FALSE(net->is_training());
  const auto x = normal({6, 3}).to(torch::kFloat);
  EXPECT_LT(max_difference(model(x).slice(0, 0, 1), model(x.slice(0, 0, 1))), 1e-6) << "no sample sees the others";
}

/// A program of arks export is the network with scalings around it, which can be taken off again.
TEST(Rescaled, TheNetworkInsideAProgramIsFound) {
  const auto net = make_model("mlp", two_numbers(), 1);
  const auto of_inputs = torch::tensor({1.0, 2.0, 4.0}, torch::kDouble);
  const auto of_outputs = torch::tensor({8.0, 16.0}, torch::kDouble);
  const auto whole = rescaled(normalised(net, of_inputs, of_inputs * 2), of_outputs, of_outputs * 2);
  const auto inner = inner_program(load_torchscript(to_torchscript(whole), "whole.pt"));
  const auto x = normal({5, 3}).to(torch::kFloat);
  EXPECT_TRUE(identical(inner.net(x), net(x)));
  EXPECT_TRUE(identical(inner.input_mean, of_inputs));
  EXPECT_TRUE(identical(inner.input_deviation, of_inputs * 2));
  EXPECT_TRUE(identical(inner.output_mean, of_outputs));
  EXPECT_TRUE(identical(inner.output_deviation, of_outputs * 2));
  const auto plain = inner_program(load_torchscript(to_torchscript(net), "plain.pt"));
  EXPECT_FALSE(plain.input_mean.defined() || plain.output_mean.defined());
  EXPECT_TRUE(identical(plain.net(x), net(x)));
}

}  // namespace arks
