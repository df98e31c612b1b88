// Constants of single layers, sums and concatenations, and what is refused.
#include "certify/network_bounds.h"
#include "certify/graphs.h"
#include "certify/jacobians.h"

#include <cmath>

namespace arks {

using testing::batch_norm;
using testing::convolution;
using testing::dense;
using testing::expect_error;
using testing::jacobian;
using testing::power_iteration;
using testing::sample;
using testing::Shape;
using testing::spectral_norm;
using testing::with_concatenation;
using testing::with_sum;

TEST(NetworkBounds, OfADenseLayerAreItsLargestSingularValue) {
  for (const auto& [in, out] : {std::pair<int64_t, int64_t>{7, 5}, {5, 7}, {1, 4}, {4, 1}}) {
    const auto layer = dense(in, out, 3);
    const auto bounds = bound_network({layer}, {in});
    const double expected = spectral_norm(layer.weight);
    EXPECT_GE(bounds.lipschitz, power_iteration({layer}, sample({in}, 1), 500));
    EXPECT_NEAR(bounds.lipschitz, expected, 1e-8 * expected);
    EXPECT_NEAR(bounds.coordinate_lipschitz, layer.weight.norm(2, 1).max().item<double>(), 1e-8 * expected);
    EXPECT_EQ(bounds.smoothness, 0);
    EXPECT_EQ(bounds.output_shape, Shape{out});
  }
}

TEST(NetworkBounds, OfAConvolutionAreNeverBelowPowerIteration) {
  const auto layer = convolution(3, 5, 3, 3);
  const auto bounds = bound_network({layer}, {3, 24, 20});
  const double found = power_iteration({layer}, sample({3, 24, 20}, 1), 200);
  EXPECT_GE(bounds.lipschitz, found);
  EXPECT_LT(bounds.lipschitz, 1.03 * found);
  EXPECT_EQ(bounds.smoothness, 0);
  EXPECT_NEAR(bounds.coordinate_lipschitz, layer.weight.flatten(1).norm(2, 1).max().item<double>(), 1e-7);
}

TEST(NetworkBounds, OfDisjointMaxPoolingAreOne) {
  const auto bounds = bound_network({MaxPool{}}, {2, 8, 8});
  EXPECT_EQ(bounds.lipschitz, 1);
  EXPECT_EQ(bounds.coordinate_lipschitz, 1);
  EXPECT_FALSE(bounds.smoothness);
  EXPECT_NEAR(power_iteration({MaxPool{}}, sample({2, 8, 8}, 1)), 1, 1e-12);
}

TEST(NetworkBounds, OfOverlappingMaxPoolingCountTheWindowsThatShareACell) {
  // a single peak fills all windows that hold it
  auto peak = torch::zeros({1, 1, 9, 9}, torch::kDouble);
  peak[0][0][4][4] = 1;
  for (const auto& [kernel, stride, sharing] :
       {std::tuple<int64_t, int64_t, int>{3, 1, 9}, {3, 2, 4}, {2, 1, 4}, {5, 2, 9}, {3, 3, 1}}) {
    const MaxPool pool{{kernel, kernel}, {stride, stride}};
    const double bound = bound_network({pool}, {1, 9, 9}).lipschitz;
    EXPECT_DOUBLE_EQ(bound, std::sqrt(sharing)) << kernel << " " << stride;
    EXPECT_GE(bound * (1 + 1e-12), power_iteration({pool}, peak)) << kernel << " " << stride;
  }
  EXPECT_NEAR(power_iteration({MaxPool{{3, 3}, {1, 1}}}, peak), 3, 1e-12) << "attained";
  // one window in all, or two that overlap in one column
  EXPECT_EQ(bound_network({MaxPool{{3, 3}, {1, 1}}}, {1, 3, 3}).lipschitz, 1);
  EXPECT_DOUBLE_EQ(bound_network({MaxPool{{3, 3}, {1, 2}}}, {1, 3, 5}).lipschitz, std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(bound_network({MaxPool{{3, 3}, {2, 2}, {1, 1}}}, {1, 4, 1}).lipschitz, std::sqrt(2.0));
}

TEST(NetworkBounds, OfDisjointAveragePoolingAreOneOverTheRootOfTheArea) {
  EXPECT_NEAR(bound_network({AveragePool{}}, {5, 8, 8}).lipschitz, 0.5, 1e-8);
  const auto wide = bound_network({AveragePool{{2, 3}, {2, 3}}}, {1, 40, 60});
  EXPECT_NEAR(wide.lipschitz, 1 / std::sqrt(6.0), 1e-8);
  EXPECT_NEAR(wide.coordinate_lipschitz, 1 / std::sqrt(6.0), 1e-8);
  EXPECT_EQ(wide.smoothness, 0);
}

TEST(NetworkBounds, OfOverlappingAveragePoolingAreNeverBelowPowerIteration) {
  for (const auto& pool :
       {AveragePool{{3, 3}, {1, 1}, {1, 1}}, AveragePool{{3, 3}, {2, 2}}, AveragePool{{2, 4}, {1, 3}}}) {
    for (const auto& shape : {Shape{2, 9, 10}, Shape{2, 44, 45}}) {
      const double found = power_iteration({pool}, sample(shape, 1), 100),
                   bound = bound_network({pool}, shape).lipschitz;
      EXPECT_GE(bound, found);
      EXPECT_LT(bound, 1.02 * found);
    }
  }
}

TEST(NetworkBounds, OfABatchNormAreItsLargestScale) {
  const auto norm = batch_norm(4, 7);
  const auto bounds = bound_network({norm}, {4, 3, 3});
  const double found = power_iteration({norm}, sample({4, 3, 3}, 1), 200);
  EXPECT_GE(bounds.lipschitz, found);
  EXPECT_NEAR(bounds.lipschitz, found, 1e-8 * found);
  EXPECT_EQ(bounds.smoothness, 0);
  const BatchNorm plain{torch::zeros({2}), torch::tensor({0.24f, 3.99f}), {}, {}, 0.01};
  EXPECT_NEAR(bound_network({plain}, {2}).lipschitz, 2, 1e-6);
}

TEST(NetworkBounds, OfActivationsAreTheLargestSlopeAndTheLargestSecondDerivative) {
  // a fine grid of one-dimensional samples finds both to four digits
  const auto grid = torch::linspace(-6, 6, 240001, torch::kDouble);
  const double step = 12.0 / 240000;
  for (const Operation& layer :
       std::vector<Operation>{Elu{}, Tanh{}, Sigmoid{}, Elu{2}, Relu{}, LeakyRelu{0.1}, LeakyRelu{-3}, Elu{0.5}}) {
    const auto x = grid.unsqueeze(1).clone().set_requires_grad(true);
    const auto slope = torch::autograd::grad({forward({layer}, x).sum()}, {x})[0].flatten();
    const double steepest = slope.abs().max().item<double>();
    const double bend = (slope.diff() / step).abs().max().item<double>();
    const auto bounds = bound_network({layer}, {1});
    EXPECT_GE(bounds.lipschitz * (1 + 1e-12), steepest) << describe(layer);
    EXPECT_NEAR(bounds.lipschitz, steepest, 1e-3) << describe(layer);
    if (bounds.smoothness) {
      EXPECT_GE(*bounds.smoothness, bend) << describe(layer);
      EXPECT_NEAR(*bounds.smoothness, bend, 1e-3) << describe(layer);
    } else {
      EXPECT_GT(bend, 1000) << describe(layer) << " has a kink";
    }
  }
}

TEST(NetworkBounds, OfAnAffineNetworkInTwoLayersAreTheProductAndNotBelowTheTruth) {
  const Graph graph{dense(5, 6, 1), batch_norm(6, 2), dense(6, 3, 3)};
  const auto bounds = bound_network(graph, {5});
  const double truth = spectral_norm(jacobian(graph, sample({5}, 1)));
  EXPECT_GE(bounds.lipschitz, truth);
  EXPECT_EQ(bounds.smoothness, 0);
  double product = 1;
  for (const auto& layer : bounds.layers) product *= layer.lipschitz;
  EXPECT_DOUBLE_EQ(bounds.lipschitz, product);
}

TEST(NetworkBounds, OfAnAffineNetworkOfOneLayerAreExact) {
  LinearModel net(LinearModelOptions(12, 4));
  net->to(torch::kDouble);
  const auto graph = graph_of(net);
  const auto bounds = bound_network(graph, {3, 4});
  const double truth = spectral_norm(jacobian(graph, sample({3, 4}, 1)));
  EXPECT_GE(bounds.lipschitz, truth);
  EXPECT_NEAR(bounds.lipschitz, truth, 1e-8 * truth);
  EXPECT_EQ(bounds.smoothness, 0);
}

TEST(NetworkBounds, OfASumAreTheSumsOfItsBranches) {
  const Graph main{dense(6, 6, 1), Elu{}, dense(6, 6, 2)}, shortcut{dense(6, 6, 3), Tanh{}};
  const auto a = bound_network(main, {6}), b = bound_network(shortcut, {6});
  const auto sum = bound_network(with_sum({}, main, shortcut), {6});
  EXPECT_DOUBLE_EQ(sum.lipschitz, a.lipschitz + b.lipschitz);
  EXPECT_DOUBLE_EQ(*sum.smoothness, *a.smoothness + *b.smoothness);
  const auto identity = bound_network(with_sum({}, main, {}), {6});
  EXPECT_DOUBLE_EQ(identity.lipschitz, a.lipschitz + 1);
  EXPECT_DOUBLE_EQ(*identity.smoothness, *a.smoothness);
  EXPECT_FALSE(bound_network(with_sum({}, main, {Relu{}}), {6}).smoothness);
}

TEST(NetworkBounds, OfAConcatenationAreTheRootOfTheSquares) {
  const Graph main{dense(6, 6, 1), Elu{}, dense(6, 4, 2)}, shortcut{dense(6, 3, 3), Tanh{}};
  const auto a = bound_network(main, {6}), b = bound_network(shortcut, {6});
  const auto both = bound_network(with_concatenation({}, {main, shortcut}), {6});
  EXPECT_NEAR(both.lipschitz, std::hypot(a.lipschitz, b.lipschitz), 1e-8 * both.lipschitz);
  EXPECT_NEAR(*both.smoothness, std::hypot(*a.smoothness, *b.smoothness), 1e-8 * *both.smoothness);
  EXPECT_EQ(both.coordinate_lipschitz, std::max(a.coordinate_lipschitz, b.coordinate_lipschitz));
  EXPECT_EQ(both.output_shape, Shape{7});
  // a vector beside itself is √2 times as long
  const auto twice = bound_network(with_concatenation({}, {{}, {}}), {6});
  EXPECT_NEAR(twice.lipschitz, std::sqrt(2.0), 1e-8);
  EXPECT_EQ(twice.smoothness, 0);
  EXPECT_FALSE(bound_network(with_concatenation({}, {main, {Relu{}}}), {6}).smoothness);
}

TEST(NetworkBounds, LeaveOutWhatTheOutputDoesNotNeed) {
  const Dense needed{normal({4, 3}), {}}, broken{torch::full({2, 3}, NAN, torch::kDouble), {}};
  Graph graph{broken, Relu{}};
  graph.add(needed, {0});
  const auto found = bound_network(graph, {3}), expected = bound_network({needed}, {3});
  EXPECT_EQ(found.lipschitz, expected.lipschitz);
  EXPECT_EQ(found.smoothness, expected.smoothness);
  EXPECT_EQ(found.layers.size(), 1U);
}

TEST(NetworkBounds, OfNoLayersAreThoseOfTheIdentity) {
  const auto bounds = bound_network({}, {3});
  EXPECT_EQ(bounds.lipschitz, 1);
  EXPECT_EQ(bounds.smoothness, 0);
  EXPECT_EQ(bounds.output_shape, Shape{3});
}

TEST(NetworkBounds, OfWeightsThatAreZeroAreZero) {
  const Graph graph{Dense{torch::zeros({4, 3}, torch::kDouble), {}}, Elu{}, dense(4, 2, 1)};
  const auto bounds = bound_network(graph, {3});
  EXPECT_EQ(bounds.lipschitz, 0);
  EXPECT_EQ(bounds.coordinate_lipschitz, 0);
  EXPECT_EQ(bounds.smoothness, 0);
}

TEST(NetworkBounds, ListTheLayersOfTheFashionNetwork) {
  FashionCnn net;
  const auto graph = graph_of(net);
  const auto bounds = bound_network(graph, {1, 28, 28});
  ASSERT_EQ(bounds.layers.size(), graph.nodes.size());
  double product = 1;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    EXPECT_EQ(bounds.layers[i].name, describe(graph.nodes[i].operation));
    product *= bounds.layers[i].lipschitz;
  }
  EXPECT_DOUBLE_EQ(bounds.lipschitz, product);
  EXPECT_FALSE(bounds.smoothness) << "max pooling has kinks";
  EXPECT_EQ(bounds.output_shape, Shape{10});
  net->to(torch::kDouble);
  const double found = power_iteration(graph_of(net), sample({1, 28, 28}, 1), 50);
  EXPECT_LE(found, bounds.lipschitz);
  // the second convolution stands for itself: 6,272 inputs and 9,216 outputs
  const double conv = power_iteration({graph_of(net).nodes[3].operation}, sample({32, 14, 14}, 1), 100);
  EXPECT_LE(conv, bounds.layers[3].lipschitz);
  EXPECT_GT(conv, 0.95 * bounds.layers[3].lipschitz);
}

TEST(NetworkBounds, RefuseWeightsThatAreNotFinite) {
  auto broken = dense(3, 2, 1);
  broken.weight[1][2] = NAN;
  expect_error([&] { bound_network({broken}, {3}); }, "dense 3→2: a weight is not finite");
  auto conv = convolution(1, 2, 3, 1);
  conv.weight[1][0][2][2] = INFINITY;
  expect_error([&] { bound_network({conv}, {1, 8, 8}); }, "conv 3×3 1→2: a weight is not finite");
  auto norm = batch_norm(3, 1);
  norm.variance[1] = -5;
  expect_error([&] { bound_network({norm}, {3}); }, "batch norm 3: a weight is not finite");
}

TEST(NetworkBounds, RefuseSamplesThatDoNotFit) {
  expect_error(
      [] {
        bound_network(graph_of(FashionCnn()), {1, 32, 32});
      },
      "dense 2304→128: inputs must have 2304 numbers per sample, got shape [3136]");
}

}  // namespace arks
