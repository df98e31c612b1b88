// L-BFGS on batches: every sample by itself, those that are done leave, and what it reaches beside AMSGrad.
#include "inner/losses.h"

#include <numeric>

namespace arks {

using namespace testing;

namespace {

/// −[(1−a)² + 100(b−a²)²] in u = (a,b): a curved ridge, not concave, with its top, 0, at (1,1).
torch::Tensor ridge(const torch::Tensor& u, const torch::Tensor& /*y*/) {
  const auto a = u.select(1, 0), b = u.select(1, 1);
  return -((1 - a).pow(2) + 100 * (b - a * a).pow(2));
}

InnerResult on_the_ridge(const AscentOptions& ascent, const torch::Tensor& x) {
  FunctionProblem problem(ridge);
  return make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, ascent, unconstrained())->maximize(x, {});
}

}  // namespace

TEST(LbfgsBatch, NeverGoesDownOnARidge) {
  const auto x = 1.5 * normal({20, 2}, 8);
  auto best = on_the_ridge(lbfgs(0), x).values, last = best;
  for (const int64_t steps : {1, 2, 3, 5, 8, 13, 21, 34, 55, 89}) {
    const auto found = on_the_ridge(lbfgs(steps), x);
    EXPECT_TRUE((found.values >= best).all().item<bool>()) << steps;
    best = found.values;
    const auto end = on_the_ridge(lbfgs(steps).returned(InnerReturn::kLast), x);
    EXPECT_TRUE((end.values >= last - 1e-14 * last.abs()).all().item<bool>()) << steps;
    last = end.values;
  }
  EXPECT_LT(max_difference(best, torch::zeros_like(best)), 1e-15);
  EXPECT_LT(max_difference(on_the_ridge(lbfgs(89), x).u, torch::ones_like(x)), 1e-6);
}

TEST(LbfgsBatch, TreatsEverySampleForItself) {
  const auto x = 1.5 * normal({20, 2}, 8);
  for (const int64_t steps : {3, 10, 60}) {
    const auto together = on_the_ridge(lbfgs(steps), x);
    for (const int64_t size : {1, 3, 7}) {
      for (int64_t i = 0; i + size <= 20; i += size) {
        const auto apart = on_the_ridge(lbfgs(steps), x.narrow(0, i, size));
        EXPECT_TRUE(identical(apart.u, together.u.narrow(0, i, size))) << steps;
        EXPECT_TRUE(identical(apart.values, together.values.narrow(0, i, size))) << steps;
        for (int64_t j = 0; j < size; ++j) {
          EXPECT_EQ(apart.terminations[static_cast<size_t>(j)], together.terminations[static_cast<size_t>(i + j)]);
        }
      }
    }
  }
}

TEST(LbfgsBatch, TreatsEverySampleOfANetworkForItself) {
  SmoothNet smooth;
  const GaussianKernel kernel(0.5);
  const auto together = arks_of(smooth.problem, kernel, /*log=*/true, lbfgs(), smooth.x, smooth.y);
  const auto turned = torch::arange(7, -1, -1, torch::kLong);
  const auto reversed = arks_of(smooth.problem, kernel, /*log=*/true, lbfgs(), smooth.x.index_select(0, turned),
                                smooth.y.index_select(0, turned));
  // matrix products of another height round differently in the last bits
  EXPECT_LT(max_difference(reversed.values.index_select(0, turned), together.values), 1e-12);
  for (int64_t i = 0; i < 8; ++i) {
    const auto alone =
        arks_of(smooth.problem, kernel, /*log=*/true, lbfgs(), smooth.x.narrow(0, i, 1), smooth.y.narrow(0, i, 1));
    EXPECT_LT(max_difference(alone.values, together.values.narrow(0, i, 1)), 1e-12);
  }
}

TEST(LbfgsBatch, LeavesOutTheSamplesThatAreDone) {
  std::vector<int64_t> rows;
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor& y) {
    rows.push_back(u.size(0));
    EXPECT_EQ(y.size(0), u.size(0));
    return ridge(u, y) * y;
  });
  // at the top, near it, and far from it, each scaled by its own y
  const auto x = torch::tensor({{1.0, 1.0}, {-1.2, 1.0}, {1.0 + 1e-4, 1.0}, {0.9, 0.7}}, torch::kDouble);
  const auto y = torch::tensor({1.0, 2.0, 3.0, 4.0}, torch::kDouble);
  const auto found =
      make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, lbfgs(100).tolerance(1e-8), unconstrained())
          ->maximize(x, y);
  EXPECT_EQ(found.terminations[0], Termination::kZeroGradient);
  EXPECT_EQ(found.count(Termination::kGradientTolerance), 3);
  EXPECT_LT(max_difference(found.u, torch::ones_like(x)), 1e-8);
  EXPECT_EQ(rows[0], 4);
  EXPECT_EQ(rows[1], 3);
  EXPECT_EQ(rows.back(), 1);
  EXPECT_TRUE(std::is_sorted(rows.rbegin(), rows.rend()));
  // four maximisations one after the other take as many rows
  int64_t apart = 0;
  for (int64_t i = 0; i < 4; ++i) {
    const auto before = std::accumulate(rows.begin(), rows.end(), int64_t{0});
    make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, lbfgs(100).tolerance(1e-8), unconstrained())
        ->maximize(x.narrow(0, i, 1), y.narrow(0, i, 1));
    apart += std::accumulate(rows.begin(), rows.end(), int64_t{0}) - before;
  }
  EXPECT_EQ(2 * apart, std::accumulate(rows.begin(), rows.end(), int64_t{0}));
}

TEST(LbfgsBatch, ReportsWhatAFreshEvaluationFinds) {
  SmoothNet smooth;
  const GaussianKernel kernel(0.5);
  for (const bool log : {false, true}) {
    for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
      const auto found = arks_of(smooth.problem, kernel, log, lbfgs().returned(returned), smooth.x, smooth.y);
      const auto loss = smooth.problem.per_sample_loss(found.u, smooth.y).detach();
      const auto cost = (*kernel.cost())(found.u, smooth.x);
      EXPECT_LT(max_difference(found.losses, loss), 1e-14);
      EXPECT_LT(max_difference(found.costs, cost), 1e-14);
      const auto value = loss * torch::exp(-cost / 0.25);
      EXPECT_LT(max_difference(found.values, log ? value.log() : value), 1e-13);
      const auto start = smooth.problem.evaluate(smooth.x, smooth.y);
      EXPECT_TRUE(identical(found.start_losses, start.loss.detach()));
      EXPECT_TRUE(identical(found.start_wrong, start.wrong));
      EXPECT_TRUE((value > found.start_losses).all().item<bool>());
      for (const auto& tensor : {found.u, found.values, found.losses, found.costs, found.start_losses}) {
        EXPECT_FALSE(tensor.requires_grad());
      }
    }
  }
}

TEST(LbfgsBatch, FindsInFloat32WhatItFindsInFloat64) {
  SmoothNet smooth;
  const GaussianKernel kernel(0.5);
  const auto images = smooth.x.view({8, 2, 2, 1});  // any shape of sample
  const auto loss = [&](const torch::Tensor& u, const torch::Tensor& y) {
    return smooth.problem.per_sample_loss(u.flatten(1), y);
  };
  FunctionProblem problem(loss);
  const auto in_double = arks_of(problem, kernel, /*log=*/false, lbfgs(), images, smooth.y);
  smooth.net->to(torch::kFloat);
  const auto in_float = arks_of(problem, kernel, /*log=*/false, lbfgs(), images.to(torch::kFloat), smooth.y);
  for (const auto& tensor : {in_float.u, in_float.values, in_float.losses, in_float.costs, in_float.start_losses}) {
    EXPECT_EQ(tensor.scalar_type(), torch::kFloat);
  }
  EXPECT_EQ(in_float.u.sizes(), images.sizes());
  EXPECT_LT(max_difference(in_double.values, in_float.values), 2e-6);
  EXPECT_LT(max_difference(in_double.u, in_float.u), 5e-3);  // the top is flat: the root of 1e-6
}

TEST(LbfgsBatch, TouchesNeitherTheNetworkNorItsInputs) {
  torch::nn::Sequential net{torch::nn::Linear(4, 6), torch::nn::BatchNorm1d(6), torch::nn::ELU(),
                            torch::nn::Dropout(0.5), torch::nn::Linear(6, 3)};
  net->to(torch::kDouble);
  net->train();
  SupervisedProblem problem(net, CrossEntropy());
  NamedTensors before;
  for (const auto& [name, tensor] : problem.state()) before.emplace_back(name, tensor.clone());
  const auto modes = problem.training_modes();
  const auto x = normal({8, 4}), start = x + 0.1;
  const auto y = torch::arange(8, torch::kLong).remainder(3);
  auto maximizer =
      make_maximizer(problem, std::make_shared<KernelProduct>(0.25), make_cost("half-sq-l2"), lbfgs(), unconstrained());
  auto found = maximizer->maximize(x, y, start);
  const auto again = maximizer->maximize(x, y, start);
  EXPECT_TRUE(identical(found.u, again.u));  // no noise of dropout, no memory
  EXPECT_FALSE(identical(found.u, start));
  found.u.zero_();
  EXPECT_TRUE(identical(start, normal({8, 4}) + 0.1));
  EXPECT_EQ(problem.training_modes(), modes);
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(identical(problem.state()[i].second, before[i].second)) << before[i].first;
  }
  for (const auto& parameter : problem.parameters()) {
    EXPECT_TRUE(parameter.requires_grad());
    EXPECT_FALSE(parameter.grad().defined());
  }
}

TEST(LbfgsBatch, ClimbsRobustLeastSquaresHigherThanAmsgrad) {
  // l(ξ) = ‖(A₀+ξA₁)θ − b‖² · exp(−(ξ−x)²/(2σ²)) over ξ in [−1,1]: 10 steps of either
  const auto box = std::make_shared<Box>(Bounds{-1, 1});
  const auto x = torch::linspace(-0.95, 0.95, 40, torch::kDouble).unsqueeze(1);
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    const auto theta = 0.5 * normal({4}, 100 + seed);
    const auto at_zero = normal({6, 4}, 200 + seed).matmul(theta) - normal({6}, 300 + seed);
    const auto change = normal({6, 4}, 400 + seed).matmul(theta);
    FunctionProblem problem(
        [&](const torch::Tensor& u, const torch::Tensor&) { return (at_zero + u * change).pow(2).sum(1); });
    for (const double sigma : {0.2, 0.41, 1.0, 5.0}) {
      const auto reached = [&](const AscentOptions& ascent) {
        return make_maximizer(problem, std::make_shared<KernelProduct>(sigma * sigma), make_cost("half-sq-l2"), ascent,
                              box)
            ->maximize(x, {})
            .values;
      };
      const auto ours = reached(lbfgs());
      for (const double rate : {0.01, 0.1}) {
        const auto theirs = reached(AscentOptions().rule(AscentRule::kAmsgrad).learning_rate(rate).steps(10));
        EXPECT_TRUE((ours >= theirs - 1e-12).all().item<bool>())
            << "seed " << seed << " sigma " << sigma << " rate " << rate << " worst " << (ours - theirs).min();
        EXPECT_GT((ours - theirs).mean().item<double>(), 1e-6) << seed << " " << sigma << " " << rate;
      }
    }
  }
}

}  // namespace arks
