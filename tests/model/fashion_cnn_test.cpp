#include "support/testing.h"

#include <cmath>
#include <map>

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::identical;
using testing::normal;

namespace {

FashionCnn seeded(uint64_t seed) {
  return FashionCnn(FashionCnnOptions().seed(seed));
}

std::map<std::string, torch::Tensor> weights(const FashionCnn& net) {
  std::map<std::string, torch::Tensor> named;
  for (const auto& item : net->named_parameters()) named[item.key()] = item.value().detach();
  return named;
}

double deviation(const torch::Tensor& values) {
  return values.to(torch::kDouble).std().item<double>();
}

double largest_of(const torch::Tensor& values) {
  return values.abs().max().item<double>();
}

}  // namespace

TEST(FashionCnn, Has315146WeightsInThePublishedShapes) {
  const std::map<std::string, std::vector<int64_t>> expected{
      {"conv1.weight", {32, 1, 3, 3}}, {"conv1.bias", {32}},   {"conv2.weight", {64, 32, 3, 3}}, {"conv2.bias", {64}},
      {"dense1.weight", {128, 2304}},  {"dense1.bias", {128}}, {"dense2.weight", {10, 128}},     {"dense2.bias", {10}}};
  int64_t count = 0;
  std::map<std::string, std::vector<int64_t>> found;
  for (const auto& [name, tensor] : weights(FashionCnn())) {
    found[name] = tensor.sizes().vec();
    count += tensor.numel();
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(count, 315146);
}

TEST(FashionCnn, GivesOneLogitForEachClass) {
  const auto x = torch::zeros({3, 1, 28, 28});
  EXPECT_EQ(FashionCnn()->forward(x).sizes(), (std::vector<int64_t>{3, 10}));
  EXPECT_EQ(FashionCnn(FashionCnnOptions().num_classes(2))->forward(x).sizes(), (std::vector<int64_t>{3, 2}));
}

TEST(FashionCnn, TreatsEverySampleOnItsOwn) {
  FashionCnn net;
  net->to(torch::kDouble);
  const auto x = normal({4, 1, 28, 28});
  // the same products, summed by another kernel for another batch size
  EXPECT_LT(testing::max_difference(net->forward(x)[2], net->forward(x.slice(0, 2, 3))[0]), 1e-14);
}

TEST(FashionCnn, IsTheSameFromTheSameSeed) {
  const auto one = weights(seeded(5)), two = weights(seeded(5)), other = weights(seeded(6));
  for (const auto& [name, tensor] : one) {
    EXPECT_TRUE(identical(tensor, two.at(name))) << name;
    EXPECT_FALSE(identical(tensor, other.at(name))) << name;
  }
}

TEST(FashionCnn, DoesNotListenToTheGlobalGenerator) {
  torch::manual_seed(1);
  const auto one = weights(seeded(5));
  torch::manual_seed(2);
  torch::rand({7});
  for (const auto& [name, tensor] : weights(seeded(5))) EXPECT_TRUE(identical(tensor, one.at(name))) << name;
}

TEST(FashionCnn, StartsWithThePublishedStatistics) {
  const auto w = weights(FashionCnn());
  // the deviation of n normal numbers is known to 1/√(2n): 4 % for the 288 of conv1, 0.5 % for the 18,432 of conv2;
  // four times that is allowed
  EXPECT_NEAR(deviation(w.at("conv1.weight")), 0.02, 0.02 * 0.17);
  EXPECT_NEAR(deviation(w.at("conv2.weight")), 0.02, 0.02 * 0.021);
  EXPECT_GT(largest_of(w.at("conv2.weight")), 0.06)
      << "normal, not uniform: of 18,432 some are beyond three deviations";
  const auto expect_uniform = [&](const std::string& name, double bound) {
    // the largest_of of n comes within 10/n of the bound but for once in 22,000 times
    EXPECT_LE(largest_of(w.at(name)), bound * (1 + 1e-6)) << name;
    EXPECT_GT(largest_of(w.at(name)), bound * (1 - 10.0 / static_cast<double>(w.at(name).numel()))) << name;
  };
  expect_uniform("dense1.weight", std::sqrt(6.0 / (2304 + 128)));
  expect_uniform("dense2.weight", std::sqrt(6.0 / (128 + 10)));
  expect_uniform("conv1.bias", 1 / std::sqrt(9.0));
  expect_uniform("conv2.bias", 1 / std::sqrt(288.0));
  expect_uniform("dense1.bias", 1 / std::sqrt(2304.0));
  expect_uniform("dense2.bias", 1 / std::sqrt(128.0));
  // of a uniform distribution the deviation is bound/√3, known to 1/√(5n)·…: 0.1 % for 294,912
  EXPECT_NEAR(deviation(w.at("dense1.weight")), std::sqrt(2.0 / (2304 + 128)), 0.005 * std::sqrt(2.0 / (2304 + 128)));
}

TEST(FashionCnn, InputGradientMatchesDifferences) {
  FashionCnn net;
  net->to(torch::kDouble);
  // one row of the image, since every coordinate costs two passes
  const auto base = normal({1, 1, 28, 28}, 3);
  const auto logits = [&](const torch::Tensor& row) {
    auto x = base.clone();
    x[0][0][14] = row;
    return net->forward(x);
  };
  expect_derivative_matches(logits, base[0][0][14].clone());
}

TEST(FashionCnn, RefusesOtherShapes) {
  FashionCnn net;
  expect_error(
      [&] {
        net->forward(torch::zeros({2, 3, 28, 28}));
      },
      "inputs must have shape [n, 1, 28, 28], got [2, 3, 28, 28]");
  expect_error([&] { net->forward(torch::zeros({2, 784})); }, "got [2, 784]");
  expect_error([&] { net->forward(torch::zeros({2, 1, 32, 32})); }, "got [2, 1, 32, 32]");
}

TEST(FashionCnn, RefusesFewerThanTwoClasses) {
  for (const int64_t classes : {1, 0, -3}) {
    expect_error([&] { FashionCnn net(FashionCnnOptions().num_classes(classes)); },
                 c10::str("num_classes must be at least 2, got ", classes));
  }
}

}  // namespace arks
