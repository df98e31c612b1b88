// The value found lies between the loss and the true maximum; limits in the bandwidth; the two forms agree.
#include "inner/losses.h"

namespace arks {

using namespace testing;

TEST(Maximizer, StaysPutOnAConstantLoss) {
  const auto x = normal({4, 3});
  FunctionProblem flat([](const torch::Tensor& u, const torch::Tensor&) { return 0 * u.sum(1) + 3; });
  for (const auto rule : kRules) {
    for (const auto& cost : {"half-sq-l2", "l2", "l1"}) {
      const Kernel kernel(make_cost(cost), 0.5);
      const auto found = arks_of(flat, kernel, /*log=*/false, AscentOptions().rule(rule), x);
      EXPECT_TRUE(identical(found.u, x)) << cost;
      EXPECT_EQ(found.count(Termination::kZeroGradient), 4) << cost;
      EXPECT_TRUE(identical(found.values, torch::full({4}, 3.0, torch::kDouble))) << cost;
    }
  }
}

TEST(Maximizer, RefusesALossThatIsDetachedFromItsInput) {
  const auto x = normal({4, 3}), weights = normal({3}).set_requires_grad(true);
  FunctionProblem without_graph(
      [](const torch::Tensor& u, const torch::Tensor&) { return torch::full({u.size(0)}, 3.0, torch::kDouble); });
  FunctionProblem detached(
      [&](const torch::Tensor& u, const torch::Tensor&) { return u.detach().matmul(weights).square(); }, {weights});
  FunctionProblem only_weights(  // which nobody said are parameters
      [&](const torch::Tensor& u, const torch::Tensor&) { return u.detach().matmul(weights).square(); });
  for (auto* problem : {&without_graph, &detached}) {
    expect_error([&] { arks_of(*problem, GaussianKernel(0.5), /*log=*/false, AscentOptions(), x); },
                 "no gradient of the loss comes back to the input");
  }
  expect_error(
      [&] {
        make_maximizer(only_weights, std::make_shared<LossAlone>(), nullptr, AscentOptions(), unconstrained())
            ->maximize(x, {});
      },
      "no gradient of the loss comes back to the input");
}

TEST(Maximizer, NeverReturnsLessThanTheStart) {
  SmoothNet smooth;
  for (const double sigma : {1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0}) {
    for (const auto rule : kRules) {
      for (const double rate : {1e-8, 0.01, 1.0, 1e6, 1e300}) {
        const auto ascent = AscentOptions().rule(rule).learning_rate(rate).steps(4);
        for (const bool log : {false, true}) {
          const auto found = arks_of(smooth.problem, GaussianKernel(sigma), log, ascent, smooth.x, smooth.y);
          const auto at_start = smooth.problem.evaluate(smooth.x, smooth.y, true);
          const auto start = (log ? at_start.log_loss : at_start.loss).detach();
          EXPECT_TRUE((found.values >= start).all().item<bool>()) << sigma << " " << rate;
          EXPECT_TRUE(found.values.isfinite().all().item<bool>()) << sigma << " " << rate;
          EXPECT_TRUE(found.u.isfinite().all().item<bool>()) << sigma << " " << rate;
        }
      }
    }
  }
}

TEST(Maximizer, MayReturnLessThanTheStartWhenAskedForTheLast) {
  SmoothNet smooth;
  const auto ascent = AscentOptions().learning_rate(0.01).returned(InnerReturn::kLast);  // as published
  const auto found = arks_of(smooth.problem, GaussianKernel(1e-3), /*log=*/false, ascent, smooth.x, smooth.y);
  EXPECT_TRUE((found.values < found.start_losses).all().item<bool>());
  EXPECT_LT(found.values.max().item<double>(), 1e-10);  // the surrogate is gone altogether
}

TEST(Maximizer, ReturnsTheLastIterateWhenAskedForIt) {
  Linear linear;
  auto maximizer = make_maximizer(linear.problem, std::make_shared<LinearPenalty>(1), make_cost("sq-l2"),
                                  plain_ascent(0.1, 3).returned(InnerReturn::kLast), unconstrained());
  auto u = linear.x;
  for (int step = 0; step < 3; ++step) u = u + 0.1 * (linear.a - 2 * (u - linear.x));
  EXPECT_LT(max_difference(maximizer->maximize(linear.x, {}).u, u), 1e-14);
}

TEST(Maximizer, TendsToTheLossForASmallBandwidth) {
  SmoothNet smooth;
  const auto found = arks_of(smooth.problem, GaussianKernel(1e-4), /*log=*/false, AscentOptions(), smooth.x, smooth.y);
  EXPECT_LT(max_difference(found.values, found.start_losses), 1e-7);  // τG²/2 with τ = 1e-8
}

TEST(Maximizer, TendsToTheWorstCaseForALargeBandwidth) {
  Linear linear;
  const auto box = std::make_shared<Box>(Bounds{-2, 2});
  auto maximizer = make_maximizer(linear.problem, std::make_shared<KernelProduct>(1e16), make_cost("half-sq-l2"),
                                  AscentOptions().rule(AscentRule::kSign).learning_rate(0.5).steps(10), box);
  const double worst = 4 + 2 * linear.a.abs().sum().item<double>();
  EXPECT_LT(max_difference(maximizer->maximize(linear.x, {}).values, torch::full({5}, worst, torch::kDouble)), 1e-13);
}

TEST(Maximizer, FindsTheSamePointInProductAndLogForm) {
  SmoothNet smooth(0.3);
  const GaussianKernel kernel(0.3);
  ASSERT_LT(kernel.temperature() * smooth.smoothness(), 1);  // ln l − c/τ is concave and has one maximum
  const auto ascent = AscentOptions().rule(AscentRule::kAdam).learning_rate(0.02).learning_rate_decay(true).steps(1200);
  const auto product = arks_of(smooth.problem, kernel, /*log=*/false, ascent, smooth.x, smooth.y);
  const auto log = arks_of(smooth.problem, kernel, /*log=*/true, ascent, smooth.x, smooth.y);
  EXPECT_LT(max_difference(product.u, log.u), 1e-5);
  EXPECT_LT(max_difference(product.values.log(), log.values), 1e-10);
  EXPECT_GT((product.u - smooth.x).abs().max().item<double>(), 1e-2);  // they did move
}

TEST(Maximizer, LiesBetweenTheLossAndTheGridMaximumInOneDimension) {
  // l = 1 + sin²(3u) + 0.2u² on [−2,2]: |l'| ≤ 3 + 0.8, l ≤ 2.8
  const auto loss = [](const torch::Tensor& u) { return 1 + (3 * u).sin().pow(2) + 0.2 * u.pow(2); };
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor&) { return loss(u); });
  const auto x = torch::linspace(-1.9, 1.9, 21, torch::kDouble);
  const auto grid = torch::linspace(-2, 2, 4001, torch::kDouble);
  for (const double sigma : {0.05, 0.3, 1.0}) {
    const auto kernel = torch::exp(-(grid.unsqueeze(0) - x.unsqueeze(1)).pow(2) / (2 * sigma * sigma));
    const auto best = (loss(grid) * kernel).amax(1);
    // between grid points φ rises by at most Lip·h/2; the slope of the kernel is at most e^−½/σ
    const double slack = (3.8 + 2.8 * 0.607 / sigma) * 1e-3 / 2;
    auto maximizer = make_maximizer(problem, std::make_shared<KernelProduct>(sigma * sigma), make_cost("half-sq-l2"),
                                    plain_ascent(0.1 * sigma * sigma, 200), std::make_shared<Box>(Bounds{-2, 2}));
    const auto found = maximizer->maximize(x, {});
    EXPECT_TRUE((found.values >= loss(x)).all().item<bool>()) << sigma;
    EXPECT_TRUE((found.values <= best + slack).all().item<bool>()) << sigma;
    // at a small bandwidth there is only one hill, and it is found
    if (sigma < 0.1) EXPECT_LT(max_difference(found.values, best), slack);
  }
}

TEST(Maximizer, LiesBetweenTheLossAndTheGridMaximumInTwoDimensions) {
  // l = 2 + sin(2u₁)·cos(u₂) on [−2,2]²: ‖∇l‖ ≤ √5, l ≤ 3
  const auto loss = [](const torch::Tensor& u) { return 2 + (2 * u.select(-1, 0)).sin() * u.select(-1, 1).cos(); };
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor&) { return loss(u); });
  const auto x = (0.8 * normal({15, 2})).clamp(-1.9, 1.9);
  const double h = 0.01;
  const auto line = torch::linspace(-2, 2, 401, torch::kDouble);
  const auto grid = torch::cartesian_prod({line, line});
  for (const double sigma : {0.1, 0.5, 2.0}) {
    const auto squared = (grid.unsqueeze(0) - x.unsqueeze(1)).pow(2).sum(2);
    const auto best = (loss(grid) * torch::exp(-squared / (2 * sigma * sigma))).amax(1);
    const double slack = (std::sqrt(5.0) + 3 * 0.607 / sigma) * h / std::sqrt(2.0);
    auto maximizer = make_maximizer(problem, std::make_shared<KernelProduct>(sigma * sigma), make_cost("half-sq-l2"),
                                    AscentOptions().learning_rate(0.05 * std::min(1.0, sigma)).steps(150),
                                    std::make_shared<Box>(Bounds{-2, 2}));
    const auto found = maximizer->maximize(x, {});
    EXPECT_TRUE((found.values >= loss(x)).all().item<bool>()) << sigma;
    EXPECT_TRUE((found.values <= best + slack).all().item<bool>()) << sigma;
    if (sigma < 0.2) EXPECT_LT(max_difference(found.values, best), slack);
  }
}

}  // namespace arks
