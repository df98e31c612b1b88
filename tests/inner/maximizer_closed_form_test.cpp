// What the maximisation finds on linear losses, where every maximum is known.
#include "inner/losses.h"
#include "support/samples.h"

namespace arks {

using namespace testing;

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

}  // namespace arks
