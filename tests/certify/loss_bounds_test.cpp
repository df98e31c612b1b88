#include "certify/loss_bounds.h"
#include "certify/network_bounds.h"
#include "support/testing.h"

#include <torch/nn/modules/normalization.h>

#include <cmath>

namespace arks {

using testing::expect_error;
using testing::normal;

namespace nn = torch::nn;

namespace {

const double kRoot2 = std::sqrt(2.0);

torch::nn::Sequential drawn_mlp(uint64_t seed, double scale = 0.5) {
  nn::Sequential net(nn::Linear(4, 12), nn::ELU(), nn::Linear(12, 12), nn::ELU(), nn::Linear(12, 3));
  net->to(torch::kDouble);
  torch::NoGradGuard no_grad;
  for (auto& parameter : net->parameters()) parameter.copy_(scale * normal(parameter.sizes().vec(), seed++));
  return net;
}

torch::Tensor value(SupervisedProblem& problem, const torch::Tensor& u, const torch::Tensor& y, bool log) {
  const auto evaluation = problem.evaluate(u, y, log);
  return log ? evaluation.log_loss : evaluation.loss;
}

torch::Tensor gradient(SupervisedProblem& problem, const torch::Tensor& at, const torch::Tensor& y, bool log) {
  const auto u = at.clone().set_requires_grad(true);
  return torch::autograd::grad({value(problem, u, y, log).sum()}, {u})[0];
}

/// Largest ‖∇‖ and largest second difference along random lines, of n samples near and far.
std::pair<double, double> sampled(SupervisedProblem& problem, int64_t inputs, int64_t classes, bool log) {
  const int64_t n = 4000;
  const auto spread = torch::linspace(-1.5, 1, n, torch::kDouble).mul(std::log(10)).exp().unsqueeze(1);
  const auto u = spread * normal({n, inputs}, 3);
  const auto y = torch::arange(n, torch::kLong).remainder(classes);
  const double steepest = gradient(problem, u, y, log).norm(2, 1).max().item<double>();
  double bend = 0;
  torch::NoGradGuard no_grad;
  for (const double h : {1.0, 1e-1, 1e-3}) {
    auto d = normal({n, inputs}, 4);
    d = d / d.norm(2, 1, /*keepdim=*/true) * h;
    const auto second = value(problem, u + d, y, log) + value(problem, u - d, y, log) - 2 * value(problem, u, y, log);
    bend = std::max(bend, second.max().item<double>() / (h * h));
  }
  return {steepest, bend};
}

SupervisedProblem logits_themselves() {
  return SupervisedProblem(nn::Sequential(nn::Identity()), CrossEntropy());
}

/// A criterion that says nothing about itself: it may compute something else than the one it derives from.
struct Silent : SquaredError {
  std::shared_ptr<Criterion> clone() const override { return std::make_shared<Silent>(*this); }
};

}  // namespace

TEST(LossBounds, OfCrossEntropyInTheLogitsAreRootTwoAndOneHalf) {
  auto problem = logits_themselves();
  for (const bool log : {false, true}) {
    const auto bounds = bound_loss(problem, {5}, log);
    EXPECT_DOUBLE_EQ(*bounds.lipschitz, kRoot2);
    EXPECT_DOUBLE_EQ(*bounds.curvature, 0.5);
    const auto [steepest, bend] = sampled(problem, 5, 5, log);
    EXPECT_LE(steepest, kRoot2 * (1 + 1e-12));
    EXPECT_LE(bend, 0.5 + 1e-9);
  }
}

TEST(LossBounds, OfCrossEntropyInTheLogitsHoldForWholeHessians) {
  auto problem = logits_themselves();
  for (const bool log : {false, true}) {
    for (uint64_t seed = 0; seed < 60; ++seed) {
      const auto z =
          (std::pow(10.0, 0.05 * static_cast<double>(seed) - 1.5) * normal({1, 4}, seed)).set_requires_grad(true);
      const auto y = torch::full({1}, static_cast<int64_t>(seed % 4), torch::kLong);
      const auto first = torch::autograd::grad({value(problem, z, y, log).sum()}, {z}, {}, true, true)[0];
      std::vector<torch::Tensor> rows;
      for (int64_t k = 0; k < 4; ++k) rows.push_back(torch::autograd::grad({first[0][k]}, {z}, {}, true)[0][0]);
      EXPECT_LE(torch::linalg_eigvalsh(torch::stack(rows)).max().item<double>(), 0.5 + 1e-12) << seed;
    }
  }
}

TEST(LossBounds, OfCrossEntropyAreAttainedInTheLimit) {
  auto problem = logits_themselves();
  const auto zero = torch::zeros({1}, torch::kLong);
  // far wrong: CE falls along (−1, 1); far right: ln CE → m = z₁ − z₀
  EXPECT_NEAR(gradient(problem, torch::tensor({{-30.0, 30.0}}, torch::kDouble), zero, false).norm().item<double>(),
              kRoot2, 1e-9);
  EXPECT_NEAR(gradient(problem, torch::tensor({{30.0, -30.0}}, torch::kDouble), zero, true).norm().item<double>(),
              kRoot2, 1e-9);
  // the curvature: two classes in balance, for ln CE with the right one far ahead of both
  const double h = 1e-3;
  for (const bool log : {false, true}) {
    const auto z = torch::tensor({{log ? 25.0 : -25.0, 0.0, 0.0}}, torch::kDouble);
    const auto d = torch::tensor({{0.0, h, -h}}, torch::kDouble) / kRoot2;
    const auto second =
        value(problem, z + d, zero, log) + value(problem, z - d, zero, log) - 2 * value(problem, z, zero, log);
    EXPECT_NEAR(second.item<double>() / (h * h), 0.5, 1e-5);
  }
}

TEST(LossBounds, OfCrossEntropyFollowTheChainRule) {
  SupervisedProblem problem(drawn_mlp(1), CrossEntropy());
  const auto network = bound_network(graph_of(problem.model()), {4});
  for (const bool log : {false, true}) {
    const auto bounds = bound_loss(problem, {4}, log);
    EXPECT_DOUBLE_EQ(*bounds.lipschitz, kRoot2 * network.lipschitz);
    EXPECT_DOUBLE_EQ(*bounds.curvature, 0.5 * network.lipschitz * network.lipschitz + kRoot2 * *network.smoothness);
    EXPECT_EQ(bounds.network.layers.size(), 5u);
    EXPECT_TRUE(bounds.why_no_lipschitz.empty());
    EXPECT_TRUE(bounds.why_no_curvature.empty());
  }
}

TEST(LossBounds, AreNeverPassedByGradientsAndSecondDifferencesOfEluMlps) {
  for (const uint64_t seed : {1, 20, 300}) {
    SupervisedProblem problem(drawn_mlp(seed), CrossEntropy());
    for (const bool log : {false, true}) {
      const auto bounds = bound_loss(problem, {4}, log);
      const auto [steepest, bend] = sampled(problem, 4, 3, log);
      EXPECT_LE(steepest, *bounds.lipschitz);
      EXPECT_LE(bend, *bounds.curvature);
      EXPECT_GT(steepest, 0.05 * *bounds.lipschitz) << "of the right size";
    }
  }
}

TEST(LossBounds, MakeTheInnerProblemConcaveBelowOneOverTheCurvature) {
  SupervisedProblem problem(drawn_mlp(5), CrossEntropy());
  const double temperature = 0.999 / *bound_loss(problem, {4}, /*log=*/true).curvature;
  // the gradient of ln l(u) − ‖u−x‖²/(2τ) is strictly decreasing along every line
  const auto y = torch::zeros({500}, torch::kLong);
  const auto u = normal({500, 4}, 1), v = u + 0.3 * normal({500, 4}, 2);
  const auto climb = [&](const torch::Tensor& at) { return gradient(problem, at, y, true) - at / temperature; };
  EXPECT_LT(((climb(u) - climb(v)) * (u - v)).sum(1).max().item<double>(), 0);
}

TEST(LossBounds, HaveNoCurvatureBehindAKinkAndNameIt) {
  nn::Sequential net(nn::Linear(4, 5), nn::ReLU(), nn::Linear(5, 3));
  const auto bounds = bound_loss(SupervisedProblem(net, CrossEntropy()), {4}, true);
  EXPECT_TRUE(bounds.lipschitz);
  EXPECT_FALSE(bounds.curvature);
  EXPECT_EQ(bounds.why_no_curvature, "ReLU is not smooth");
  EXPECT_EQ(bound_loss(SupervisedProblem(FashionCnn(), CrossEntropy()), {1, 28, 28}, true).why_no_curvature,
            "max pool 2×2 is not smooth");
}

TEST(LossBounds, OfTheSquaredErrorHaveACurvatureOnlyBehindAnAffineNetwork) {
  LinearModel linear(LinearModelOptions(4, 2));
  linear->to(torch::kDouble);
  const auto affine = bound_loss(SupervisedProblem(linear, SquaredError()), {4}, false);
  EXPECT_FALSE(affine.lipschitz);
  EXPECT_EQ(affine.why_no_lipschitz, "the gradient of a squared error grows without bound");
  const auto weight = linear->named_parameters()["dense.weight"].detach();
  const double expected = 2 * torch::linalg_eigvalsh(weight.t().matmul(weight)).max().item<double>();
  EXPECT_NEAR(*affine.curvature, expected, 1e-7 * expected) << "the Hessian is 2WᵀW";
  const auto curved = bound_loss(SupervisedProblem(drawn_mlp(1), SquaredError()), {4}, false);
  EXPECT_FALSE(curved.curvature);
  EXPECT_EQ(curved.why_no_curvature,
            "the gradient of a squared error grows without bound, and the network is not affine");
  const auto log = bound_loss(SupervisedProblem(linear, SquaredError()), {4}, true);
  EXPECT_FALSE(log.lipschitz);
  EXPECT_FALSE(log.curvature);
  EXPECT_EQ(log.why_no_curvature, "the logarithm of a squared error has no bounds near zero error");
}

TEST(LossBounds, OfACriterionThatSaysNothingAreNone) {
  const auto bounds = bound_loss(SupervisedProblem(LinearModel(LinearModelOptions(4, 2)), Silent()), {4}, false);
  EXPECT_FALSE(bounds.lipschitz);
  EXPECT_FALSE(bounds.curvature);
  EXPECT_EQ(bounds.why_no_lipschitz, "no bounds are known for this criterion");
  EXPECT_EQ(bounds.why_no_curvature, "no bounds are known for this criterion");
}

TEST(LossBounds, RefuseWhatCannotBeLookedInto) {
  const SupervisedProblem function([](const torch::Tensor& u) { return u; }, CrossEntropy());
  expect_error([&] { bound_loss(function, {4}, true); }, "the layers of a function are not known");
  const SupervisedProblem softmax(nn::Sequential(nn::Linear(4, 3), nn::Softmax(1)), CrossEntropy());
  expect_error([&] { bound_loss(softmax, {4}, true); },
               "layer 1 (torch::nn::SoftmaxImpl) is not a layer that arks knows");
}

}  // namespace arks
