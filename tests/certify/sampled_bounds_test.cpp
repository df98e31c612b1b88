// Constants of whole networks beside what is found in samples: never below it, and attained where that is possible.
#include "certify/graphs.h"
#include "certify/jacobians.h"
#include "certify/network_bounds.h"

#include <cmath>

namespace arks {

using testing::batch_norm;
using testing::convolution;
using testing::dense;
using testing::followed_by;
using testing::jacobian;
using testing::normal;
using testing::sample;
using testing::Shape;
using testing::spectral_norm;
using testing::with_concatenation;
using testing::with_sum;

namespace {

Graph elu_mlp(uint64_t seed) {
  return {dense(4, 16, seed, 0.6), Elu{}, dense(16, 16, seed + 1, 0.3), Elu{}, dense(16, 3, seed + 2, 0.4)};
}

Graph smooth_cnn(uint64_t seed) {
  auto strided = convolution(3, 4, 3, seed + 1, 0.3);
  strided.stride = {2, 2};
  return {
      convolution(1, 3, 3, seed, 0.4), Elu{},     batch_norm(3, seed + 5), strided, Tanh{}, AveragePool{}, Flatten{},
      dense(16, 5, seed + 2, 0.5),     Sigmoid{}, dense(5, 3, seed + 3)};
}

Graph smooth_residual(uint64_t seed) {
  const Graph main{dense(6, 6, seed, 0.4), Elu{}, dense(6, 6, seed + 1, 0.4)};
  return with_sum(followed_by(with_sum({}, main, {}), {Elu{}}), {dense(6, 3, seed + 2), Tanh{}},
                  {dense(6, 3, seed + 3)});
}

/// Two branches and what they read themselves side by side, then added to what came before.
Graph smooth_branches(uint64_t seed) {
  const Graph first{dense(5, 4, seed, 0.5), Elu{}};
  const auto wide = with_concatenation(first, {{dense(4, 3, seed + 1), Tanh{}}, {}, {dense(4, 2, seed + 2), Elu{}}});
  return followed_by(with_sum(followed_by(wide, {dense(9, 4, seed + 3, 0.4)}), {Sigmoid{}}, {}),
                     {dense(4, 3, seed + 4)});
}

/// Sampled Jacobians and their differences, near and far, never pass the bounds; returns the largest shares reached.
std::pair<double, double> expect_bounds_hold(const Graph& graph, const Shape& shape, int samples = 40) {
  const auto bounds = bound_network(graph, shape);
  double lipschitz = 0, coordinate = 0, smoothness = 0;
  for (int i = 0; i < samples; ++i) {
    const auto seed = static_cast<uint64_t>(i);
    const auto x = sample(shape, 10 + seed, i % 3 == 0 ? 0.2 : 1.5);
    const auto step = sample(shape, 500 + seed, std::pow(10.0, -(i % 4)));
    const auto here = jacobian(graph, x), there = jacobian(graph, x + step);
    lipschitz = std::max(lipschitz, spectral_norm(here));
    coordinate = std::max(coordinate, here.norm(2, 1).max().item<double>());
    smoothness = std::max(smoothness, spectral_norm(here - there) / step.norm().item<double>());
  }
  EXPECT_LE(lipschitz, bounds.lipschitz);
  EXPECT_LE(coordinate, bounds.coordinate_lipschitz);
  if (bounds.smoothness) {
    EXPECT_LE(smoothness, *bounds.smoothness);
  }
  return {lipschitz / bounds.lipschitz, smoothness / bounds.smoothness.value_or(INFINITY)};
}

}  // namespace

TEST(SampledBounds, HoldForRandomEluMlps) {
  double best = 0;
  for (const uint64_t seed : {1, 20, 300, 4000}) best = std::max(best, expect_bounds_hold(elu_mlp(seed), {4}).first);
  EXPECT_GT(best, 0.15) << "the bound is of the right size";
}

TEST(SampledBounds, HoldForRandomSmoothConvolutionalNetworks) {
  for (const uint64_t seed : {1, 20, 300}) {
    ASSERT_TRUE(bound_network(smooth_cnn(seed), {1, 8, 8}).smoothness);
    expect_bounds_hold(smooth_cnn(seed), {1, 8, 8}, 24);
  }
}

TEST(SampledBounds, HoldForResiduals) {
  for (const uint64_t seed : {1, 20, 300}) {
    ASSERT_TRUE(bound_network(smooth_residual(seed), {6}).smoothness);
    expect_bounds_hold(smooth_residual(seed), {6});
  }
}

TEST(SampledBounds, HoldForNetworksWithKinks) {
  const Graph begin{convolution(1, 4, 3, 1), LeakyRelu{}, MaxPool{{3, 3}, {2, 2}}};
  const auto graph = followed_by(with_sum(begin, {convolution(4, 4, 3, 2), batch_norm(4, 3)}, {}),
                                 {Relu{}, Flatten{}, dense(36, 3, 5)});
  EXPECT_FALSE(bound_network(graph, {1, 8, 8}).smoothness);
  expect_bounds_hold(graph, {1, 8, 8});
}

TEST(SampledBounds, AreNearlyAttainedWhereTheyCanBe) {
  // one unit: x ↦ w·ELU(v·x) has slope w‖v‖ for v·x > 0, and slope w·‖v‖·e^{v·x}, whose change is w‖v‖², just below 0
  const Graph graph{Dense{torch::tensor({{3.0, 4.0}}, torch::kDouble), {}}, Elu{},
                    Dense{torch::tensor({{-2.0}}, torch::kDouble), {}}};
  const auto bounds = bound_network(graph, {2});
  EXPECT_NEAR(bounds.lipschitz, 10, 1e-7);
  EXPECT_NEAR(*bounds.smoothness, 50, 1e-6);
  const auto direction = torch::tensor({{0.6, 0.8}}, torch::kDouble);
  const double h = 1e-6;
  const auto change = jacobian(graph, -h * direction) - jacobian(graph, -2 * h * direction);
  EXPECT_NEAR(spectral_norm(change) / h, 50, 1e-2);
}

TEST(SampledBounds, AreAttainedBelowTheOriginByChainsOfOneUnit) {
  // left of 0 ELU has slope and bend 1, so that the rule of composition is an equation there, term by term
  const Dense triple{torch::full({1, 1}, 3.0, torch::kDouble), {}}, twice{torch::full({1, 1}, 2.0, torch::kDouble), {}};
  const auto bend = [](const Graph& graph) {
    const double h = 1e-6;
    const auto at = torch::full({1, 1}, -h, torch::kDouble);
    return spectral_norm(jacobian(graph, at) - jacobian(graph, 2 * at)) / h;
  };
  const Graph chain{triple, Elu{}, twice, Elu{}};
  EXPECT_NEAR(*bound_network(chain, {1}).smoothness, 2 * 2 * 3 * 3 + 2 * 3 * 3, 1e-6);
  EXPECT_NEAR(bend(chain), 54, 1e-2);
  const auto residual = with_sum({triple, Elu{}}, {Elu{}}, {});
  EXPECT_NEAR(*bound_network(residual, {1}).smoothness, 3 * 3 + 2 * 3 * 3, 1e-6);
  EXPECT_NEAR(bend(residual), 27, 1e-2);
  const auto doubled = followed_by(with_sum({}, {triple, Elu{}}, {twice, Elu{}}), {twice});
  EXPECT_NEAR(*bound_network(doubled, {1}).smoothness, 2 * (9 + 4), 1e-6);
  EXPECT_NEAR(bend(doubled), 26, 1e-2);
  // two coordinates that move together: what is not elementwise sees the length of the step, √2·3, and not one of them
  const Dense both{torch::full({2, 1}, 3.0, torch::kDouble), {}};
  const Dense added{torch::tensor({{1.0, 1.0}, {0.0, 0.0}}, torch::kDouble), {}};
  const auto mixed = with_sum({both}, {added, Elu{}}, {});
  EXPECT_NEAR(*bound_network(mixed, {1}).smoothness, 36, 1e-6);
  EXPECT_NEAR(bend(mixed), 36, 1e-2);
}

TEST(SampledBounds, TakeTheLargestRowForTheReachOfAnActivation) {
  // L = ‖W2‖·‖W1‖·(largest row of W1) and not ‖W2‖·‖W1‖²
  const auto first = dense(6, 20, 1), second = dense(20, 3, 2);
  const double norm = spectral_norm(first.weight), row = first.weight.norm(2, 1).max().item<double>();
  ASSERT_LT(row, 0.8 * norm);
  const double expected = spectral_norm(second.weight) * norm * row;
  EXPECT_NEAR(*bound_network({first, Elu{}, second}, {6}).smoothness, expected, 1e-7 * expected);
}

TEST(SampledBounds, HoldForBranchesSideBySide) {
  for (const uint64_t seed : {1, 20, 300}) {
    ASSERT_TRUE(bound_network(smooth_branches(seed), {5}).smoothness);
    expect_bounds_hold(smooth_branches(seed), {5});
  }
}

TEST(SampledBounds, HoldForTheResNetWithItsStatistics) {
  for (const auto activation : {Activation::kRelu, Activation::kElu}) {
    ResNet20 net(ResNet20Options().activation(activation));
    net->to(torch::kDouble);
    net->forward(0.3 + 0.2 * normal({8, 3, 32, 32}));  // moves the statistics
    net->eval();
    const auto graph = graph_of(Model(net));
    const auto bounds = bound_network(graph, {3, 32, 32});
    EXPECT_EQ(bounds.output_shape, (Shape{10}));
    EXPECT_EQ(bounds.layers.size(), graph.nodes.size());
    EXPECT_TRUE(std::isfinite(bounds.lipschitz));
    EXPECT_EQ(bounds.smoothness.has_value(), activation == Activation::kElu);
    const double reached = spectral_norm(jacobian(graph, sample({3, 32, 32}, 5)));
    EXPECT_GT(reached, 0);
    EXPECT_LE(reached, bounds.lipschitz);
  }
}

}  // namespace arks
