// What the maximisation finds: closed forms, majorants, grids, agreement of the two forms.
#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

const std::vector<AscentRule> kRules{AscentRule::kSgd, AscentRule::kAdam, AscentRule::kAmsgrad, AscentRule::kSign,
                                     AscentRule::kNormalized};

AscentOptions plain_ascent(double rate, int64_t steps) {
  return AscentOptions().rule(AscentRule::kSgd).momentum(0).learning_rate(rate).steps(steps);
}

ConstraintPtr unconstrained() {
  return std::make_shared<Unconstrained>();
}

/// l(u) = a·u + 4: linear, so all maxima are known. `x` keeps it positive.
struct Linear {
  torch::Tensor a = torch::tensor({0.9, -1.2, 0.4}, torch::kDouble);
  torch::Tensor x = 0.5 * normal({5, 3});
  torch::Tensor loss_at_x = x.matmul(a) + 4;
  double norm = a.norm().item<double>();
  FunctionProblem problem{[a = a](const torch::Tensor& u, const torch::Tensor&) { return u.matmul(a) + 4; }};
};

/// Two tanh layers and a cross entropy, in float64, with weights of its own and no randomness.
struct SmoothNet {
  explicit SmoothNet(double scale = 0.7) {
    net->to(torch::kDouble);
    torch::NoGradGuard no_grad;
    uint64_t seed = 10;
    for (auto& parameter : net->parameters()) parameter.copy_(scale * normal(parameter.sizes().vec(), seed++));
  }

  /// A bound of the largest eigenvalue of ∇²ln l: that of ln CE is at most ½ and its slope √2, |tanh''| ≤ 0.77.
  double smoothness() const {
    const auto norm = [&](size_t i) { return std::get<1>(torch::svd(net->parameters()[i])).max().item<double>(); };
    const double first = norm(0), second = norm(2);
    return 0.5 * std::pow(first * second, 2) + std::sqrt(2.0) * second * 0.77 * std::pow(first, 2);
  }

  torch::nn::Sequential net{torch::nn::Linear(4, 6), torch::nn::Tanh(), torch::nn::Linear(6, 3)};
  torch::Tensor x = normal({8, 4});
  torch::Tensor y = torch::arange(8, torch::kLong).remainder(3);
  SupervisedProblem problem{net, CrossEntropy()};
};

InnerResult arks_of(Problem& problem, const Kernel& kernel, bool log, const AscentOptions& ascent,
                    const torch::Tensor& x, const torch::Tensor& y = {}) {
  InnerObjectivePtr objective;
  if (log) {
    objective = std::make_shared<LogKernelProduct>(kernel.temperature());
  } else {
    objective = std::make_shared<KernelProduct>(kernel.temperature());
  }
  return make_maximizer(problem, objective, kernel.cost(), ascent, unconstrained())->maximize(x, y);
}

}  // namespace

// --- closed forms on a linear loss -----------------------------------------------------------------------------------

TEST(Maximizer, FindsTheMoreauEnvelopeOfALinearLoss) {
  Linear linear;
  for (const double gamma : {0.1, 1.0, 50.0}) {
    const auto expected = linear.x + linear.a / (2 * gamma);
    for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
      // the error halves with every step of 1/(4γ)
      auto maximizer = make_maximizer(linear.problem, std::make_shared<LinearPenalty>(gamma), make_cost("sq-l2"),
                                      plain_ascent(1 / (4 * gamma), 60).returned(returned), unconstrained());
      const auto found = maximizer->maximize(linear.x, {});
      EXPECT_LT(max_difference(found.values, linear.loss_at_x + linear.norm * linear.norm / (4 * gamma)), 1e-12);
      // φ is flat at its top: iterates within √(1e-16·φ/γ) have the same value, and the first of them is the best
      const double flat = std::sqrt(1e-15 * found.values.max().item<double>() / gamma);
      EXPECT_LT(max_difference(found.u, expected), returned == InnerReturn::kBest ? flat : 1e-12) << gamma;
    }
  }
}

TEST(Maximizer, StaysUnderASteepPenaltyAsPaschAndHausdorffDo) {
  Linear linear;  // l − γ‖u−x‖ with γ > ‖a‖ has its maximum at x
  auto maximizer = make_maximizer(linear.problem, std::make_shared<LinearPenalty>(1.1 * linear.norm), make_cost("l2"),
                                  plain_ascent(0.01, 20), unconstrained());
  const auto found = maximizer->maximize(linear.x, {});
  EXPECT_TRUE(identical(found.u, linear.x));
  EXPECT_TRUE(identical(found.values, found.start_losses));
}

TEST(Maximizer, FindsTheGaussianTransformOfALinearLoss) {
  Linear linear;
  for (const double sigma : {0.1, 0.5, 2.0}) {
    const auto b = linear.loss_at_x;
    const double n = linear.norm;
    const auto t = (-b + (b * b + 4 * n * n * sigma * sigma).sqrt()) / (2 * n);
    const auto expected = linear.x + t.unsqueeze(1) * linear.a / n;
    const auto value = (b + n * t) * torch::exp(-t * t / (2 * sigma * sigma));
    // steps of 1/curvature: the product bends like l/σ², its logarithm like 1/σ² + (‖a‖/l)²
    const double largest = (b + n * t).max().item<double>(), smallest = b.min().item<double>();
    const double product_rate = 0.5 / (largest / (sigma * sigma) + 2 * n / sigma);
    const double log_rate = 1 / (1 / (sigma * sigma) + n * n / (smallest * smallest));
    const GaussianKernel kernel(sigma);
    const auto product = arks_of(linear.problem, kernel, /*log=*/false, plain_ascent(product_rate, 400), linear.x);
    EXPECT_LT(max_difference(product.u, expected), 1e-7) << sigma;
    EXPECT_LT(max_difference(product.values, value), 1e-12) << sigma;
    const auto log = arks_of(linear.problem, kernel, /*log=*/true, plain_ascent(log_rate, 200), linear.x);
    EXPECT_LT(max_difference(log.u, expected), 1e-7) << sigma;
    EXPECT_LT(max_difference(log.values, value.log()), 1e-12) << sigma;
  }
}

TEST(Maximizer, FindsTheCornerOfTheLinfBall) {
  Linear linear;
  for (const double eps : {0.01, 0.3, 2.0}) {
    auto maximizer = make_maximizer(linear.problem, std::make_shared<LossAlone>(), nullptr,
                                    AscentOptions().rule(AscentRule::kSign).learning_rate(eps / 4).steps(6),
                                    std::make_shared<LinfBall>(eps));
    const auto found = maximizer->maximize(linear.x, {});
    const double gain = eps * linear.a.abs().sum().item<double>();
    EXPECT_LT(max_difference(found.values, linear.loss_at_x + gain), 1e-13) << eps;
    EXPECT_LT(max_difference(found.u, linear.x + eps * linear.a.sign()), 1e-14) << eps;
  }
}

TEST(Maximizer, FindsTheEdgeOfTheL2Ball) {
  Linear linear;
  for (const double eps : {0.01, 0.3, 2.0}) {
    auto maximizer = make_maximizer(linear.problem, std::make_shared<LossAlone>(), nullptr,
                                    AscentOptions().rule(AscentRule::kNormalized).learning_rate(eps / 4).steps(6),
                                    std::make_shared<L2Ball>(eps));
    const auto found = maximizer->maximize(linear.x, {});
    EXPECT_LT(max_difference(found.values, linear.loss_at_x + eps * linear.norm), 1e-13) << eps;
    EXPECT_LT(max_difference(found.u, linear.x + eps * linear.a / linear.norm), 1e-14) << eps;
  }
}

TEST(Maximizer, StaysInTheSetAllTheWay) {
  Linear linear;
  const auto x = linear.x.clamp(0, 1);
  std::vector<torch::Tensor> visited;
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor&) {
    visited.push_back(u.detach().clone());
    return u.matmul(linear.a) + 4;
  });
  const auto set = std::make_shared<LinfBall>(0.3, Bounds{0, 1});
  make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, plain_ascent(10, 8), set)->maximize(x, {});
  ASSERT_EQ(visited.size(), 9u);
  for (const auto& u : visited) {
    EXPECT_LE((u - x).abs().max().item<double>(), 0.3 + 1e-15);
    EXPECT_GE(u.min().item<double>(), 0);
    EXPECT_LE(u.max().item<double>(), 1);
  }
}

TEST(Maximizer, TakesSamplesOfAnyShape) {
  // l = 2·sum(u) + 9 with γ‖u−x‖²: the maximiser is x + 1/γ in every coordinate
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return 2 * rows(u).sum(1) + 9; });
  for (const auto& shape : std::vector<std::vector<int64_t>>{{3}, {3, 2}, {3, 2, 2}, {3, 1, 2, 3}}) {
    const auto x = normal(shape);
    for (const auto rule : kRules) {
      for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
        auto maximizer = make_maximizer(problem, std::make_shared<LinearPenalty>(2), make_cost("sq-l2"),
                                        AscentOptions().rule(rule).returned(returned).steps(3), unconstrained());
        EXPECT_EQ(maximizer->maximize(x, {}).u.sizes(), x.sizes());
      }
    }
    auto maximizer = make_maximizer(problem, std::make_shared<LinearPenalty>(2), make_cost("sq-l2"),
                                    plain_ascent(0.125, 60).returned(InnerReturn::kLast), unconstrained());
    EXPECT_LT(max_difference(maximizer->maximize(x, {}).u, x + 0.5), 1e-12);
  }
}

// --- majorants -------------------------------------------------------------------------------------------------------

TEST(Maximizer, StaysPutOnAConstantLoss) {
  const auto x = normal({4, 3});
  FunctionProblem flat([](const torch::Tensor& u, const torch::Tensor&) { return 0 * u.sum(1) + 3; });
  FunctionProblem without_graph(
      [](const torch::Tensor& u, const torch::Tensor&) { return torch::full({u.size(0)}, 3.0, torch::kDouble); });
  for (auto* problem : {&flat, &without_graph}) {
    for (const auto rule : kRules) {
      for (const auto& cost : {"half-sq-l2", "l2", "l1"}) {
        const Kernel kernel(make_cost(cost), 0.5);
        const auto found = arks_of(*problem, kernel, /*log=*/false, AscentOptions().rule(rule), x);
        EXPECT_TRUE(identical(found.u, x)) << cost;
        EXPECT_EQ(found.count(Termination::kZeroGradient), 4) << cost;
        EXPECT_TRUE(identical(found.values, torch::full({4}, 3.0, torch::kDouble))) << cost;
      }
    }
  }
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

// --- what the result says --------------------------------------------------------------------------------------------

TEST(Maximizer, ReportsWhatAFreshEvaluationFinds) {
  SmoothNet smooth;
  const GaussianKernel kernel(0.5);
  for (const bool log : {false, true}) {
    for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
      const auto ascent = AscentOptions().learning_rate(0.1).returned(returned);
      const auto found = arks_of(smooth.problem, kernel, log, ascent, smooth.x, smooth.y);
      const auto loss = smooth.problem.per_sample_loss(found.u, smooth.y).detach();
      const auto cost = (*kernel.cost())(found.u, smooth.x);
      EXPECT_LT(max_difference(found.losses, loss), 1e-14);
      EXPECT_LT(max_difference(found.costs, cost), 1e-14);
      const auto value = loss * torch::exp(-cost / 0.25);
      EXPECT_LT(max_difference(found.values, log ? value.log() : value), 1e-13);
      const auto start = smooth.problem.evaluate(smooth.x, smooth.y);
      EXPECT_TRUE(identical(found.start_losses, start.loss.detach()));
      EXPECT_TRUE(identical(found.start_wrong, start.wrong));
      EXPECT_EQ(found.terminations.size(), 8u);
      EXPECT_EQ(found.count(Termination::kStepLimit), 8);
    }
  }
}

TEST(Maximizer, BeginsWhereItIsTold) {
  SmoothNet smooth;
  const auto start = smooth.x + 0.3 * normal({8, 4}, 4);
  auto maximizer = make_maximizer(smooth.problem, std::make_shared<KernelProduct>(0.25), make_cost("half-sq-l2"),
                                  AscentOptions().steps(0), unconstrained());
  const auto unmoved = maximizer->maximize(smooth.x, smooth.y, start);
  EXPECT_TRUE(identical(unmoved.u, start));
  EXPECT_TRUE(identical(unmoved.start_losses, smooth.problem.per_sample_loss(start, smooth.y).detach()));
  EXPECT_TRUE(identical(unmoved.losses, unmoved.start_losses));
  EXPECT_LT(max_difference(unmoved.values, unmoved.losses * GaussianKernel(0.5)(start, smooth.x)), 1e-15);
}

TEST(Maximizer, GivesZeroCostsWhereThereIsNoCost) {
  Linear linear;
  auto maximizer = make_maximizer(linear.problem, std::make_shared<LossAlone>(), nullptr, AscentOptions(),
                                  std::make_shared<LinfBall>(0.1));
  const auto found = maximizer->maximize(linear.x, {});
  EXPECT_TRUE(identical(found.costs, torch::zeros({5}, torch::kDouble)));
  EXPECT_FALSE(found.start_wrong.defined());
}

TEST(Maximizer, TreatsEverySampleForItself) {
  SmoothNet smooth;
  const GaussianKernel kernel(0.5);
  for (const auto rule : kRules) {
    const auto ascent = AscentOptions().rule(rule).learning_rate(0.05);
    const auto together = arks_of(smooth.problem, kernel, /*log=*/true, ascent, smooth.x, smooth.y);
    for (const int64_t size : {1, 3}) {
      for (int64_t i = 0; i + size <= 8; i += size) {
        const auto alone = arks_of(smooth.problem, kernel, /*log=*/true, ascent, smooth.x.narrow(0, i, size),
                                   smooth.y.narrow(0, i, size));
        // matrix products of another height round differently in the last bits
        EXPECT_LT(max_difference(alone.u, together.u.narrow(0, i, size)), 1e-11);
        EXPECT_LT(max_difference(alone.values, together.values.narrow(0, i, size)), 1e-12);
      }
    }
  }
}

TEST(Maximizer, KeepsTheTypeOfTheInputs) {
  SmoothNet smooth;
  const GaussianKernel kernel(0.5);
  const auto in_double = arks_of(smooth.problem, kernel, /*log=*/false, AscentOptions(), smooth.x, smooth.y);
  smooth.net->to(torch::kFloat);
  const auto in_float =
      arks_of(smooth.problem, kernel, /*log=*/false, AscentOptions(), smooth.x.to(torch::kFloat), smooth.y);
  for (const auto& tensor : {in_double.u, in_double.values, in_double.losses, in_double.costs}) {
    EXPECT_EQ(tensor.scalar_type(), torch::kDouble);
  }
  for (const auto& tensor : {in_float.u, in_float.values, in_float.losses, in_float.costs, in_float.start_losses}) {
    EXPECT_EQ(tensor.scalar_type(), torch::kFloat);
  }
  EXPECT_LT(max_difference(in_double.values, in_float.values), 1e-5);  // 15 float32 steps
}

TEST(Maximizer, RefusesWhatItCannotWorkWith) {
  Linear linear;
  const auto product = std::make_shared<KernelProduct>(1);
  auto maximizer = make_maximizer(linear.problem, product, make_cost("half-sq-l2"), AscentOptions(), unconstrained());
  expect_error([&] { maximizer->maximize(torch::empty({0, 3}), {}); }, "the batch is empty");
  expect_error([&] { maximizer->maximize(torch::ones({}), {}); }, "the batch is empty");
  expect_error(
      [&] {
        maximizer->maximize(torch::ones({2, 3}, torch::kLong), {});
      },
      "the inputs must be floating point, got Long");
  expect_error(
      [&] {
        maximizer->maximize(linear.x, {}, normal({5, 2}));
      },
      "the start has shape [5, 2], the batch [5, 3]");
  expect_error([&] { make_maximizer(linear.problem, product, nullptr, AscentOptions(), unconstrained()); },
               "this objective needs a cost");
  expect_error([&] { make_maximizer(linear.problem, nullptr, nullptr, AscentOptions(), unconstrained()); },
               "objective and constraint must be given");
  expect_error([&] { make_maximizer(linear.problem, product, make_cost("l2"), AscentOptions(), nullptr); },
               "objective and constraint must be given");
  expect_error(
      [&] { make_maximizer(linear.problem, product, make_cost("l2"), AscentOptions().steps(-1), unconstrained()); },
      "inner steps must not be negative, got -1");
}

}  // namespace arks
