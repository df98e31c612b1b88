// What L-BFGS finds where the maximiser is known.
#include "inner/losses.h"

namespace arks {

using namespace testing;

namespace {

/// l = −½ (u−c)ᵀ A (u−c) for a sample of its own A and c, which its y points to. Eigenvalues from 1 to `condition`.
struct Quadratics {
  Quadratics(const std::vector<double>& conditions, int64_t dimension) {
    std::vector<torch::Tensor> matrices;
    uint64_t seed = 20;
    for (const double condition : conditions) {
      const auto basis = std::get<0>(torch::linalg_qr(normal({dimension, dimension}, seed++)));
      const auto exponents = torch::linspace(0, 1, dimension, torch::kDouble);
      const auto eigenvalues = torch::pow(torch::full({1}, condition, torch::kDouble), exponents);
      matrices.push_back(basis.matmul(eigenvalues.diag()).matmul(basis.t()));
    }
    a = torch::stack(matrices);
    const auto count = static_cast<int64_t>(conditions.size());
    maximiser = normal({count, dimension}, 2);
    x = 3 * normal({count, dimension}, 3);
    y = torch::arange(count, torch::kLong);
  }

  torch::Tensor a, maximiser, x, y;
  FunctionProblem problem{[this](const torch::Tensor& u, const torch::Tensor& which) {
    const auto d = u - maximiser.index_select(0, which);
    return -0.5 * (d.unsqueeze(1).matmul(a.index_select(0, which)).squeeze(1) * d).sum(1);
  }};
};

InnerResult climbed(Problem& problem, const AscentOptions& ascent, const ConstraintPtr& constraint,
                    const torch::Tensor& x, const torch::Tensor& y = {}) {
  return make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, ascent, constraint)->maximize(x, y);
}

}  // namespace

TEST(Lbfgs, FindsTheTopOfConcaveQuadratics) {
  for (const int64_t dimension : {1, 2, 5, 20}) {
    Quadratics quadratics({1, 10, 100, 300, 1, 1e3}, dimension);
    for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
      const auto found =
          climbed(quadratics.problem, lbfgs(300).returned(returned), unconstrained(), quadratics.x, quadratics.y);
      EXPECT_LT(max_difference(found.u, quadratics.maximiser), 1e-10) << dimension;
      EXPECT_LT(found.values.abs().max().item<double>(), 1e-18) << dimension;
    }
  }
}

TEST(Lbfgs, NeedsFewStepsWhereTheCurvatureIsOne) {
  Quadratics quadratics({1, 1, 1}, 6);  // the first step is short, the second knows the curvature
  const auto found = climbed(quadratics.problem, lbfgs(2), unconstrained(), quadratics.x, quadratics.y);
  EXPECT_LT(max_difference(found.u, quadratics.maximiser), 1e-12);
}

TEST(Lbfgs, GoesALongWayWhereTheFirstStepsCannotBeTold) {
  // a gradient of 3e-4 in float32: a step of that length changes φ by less than its rounding, the whole way by 4.5e-4
  FunctionProblem problem(
      [](const torch::Tensor& u, const torch::Tensor&) { return 1 - 0.5e-4 * (u - 3).pow(2).sum(1); });
  const auto found = climbed(problem, lbfgs(10), unconstrained(), torch::zeros({2, 1}));
  EXPECT_LT(max_difference(found.values, torch::ones({2})), 5e-6);
  EXPECT_EQ(found.count(Termination::kStepLimit), 0);
}

TEST(Lbfgs, LearnsMoreFromALongerHistory) {
  Quadratics quadratics({1e3, 1e3, 1e3, 1e3}, 12);
  const auto gap = [&](int64_t history) {
    const auto found =
        climbed(quadratics.problem, lbfgs(60).history(history), unconstrained(), quadratics.x, quadratics.y);
    return -found.values.mean().item<double>();
  };
  EXPECT_LT(gap(12), 1e-2 * gap(1));
}

TEST(Lbfgs, FindsTheTopOfSeparableQuadraticsInABox) {
  const int64_t count = 12, dimension = 7;
  const auto bends = (2 * normal({dimension}, 4)).exp();
  const auto tops = 1.5 * normal({count, dimension}, 5) + 0.5;  // about half of them outside the box
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor& which) {
    return -0.5 * (bends * (u - tops.index_select(0, which)).pow(2)).sum(1);
  });
  const auto x = normal({count, dimension}, 6).clamp(0, 1);
  const auto expected = tops.clamp(0, 1);
  ASSERT_GT((expected == 0).sum().item<int64_t>(), 10);
  ASSERT_GT(((expected > 0) & (expected < 1)).sum().item<int64_t>(), 10);
  const auto found = climbed(problem, lbfgs(100).returned(InnerReturn::kLast), std::make_shared<Box>(Bounds{0, 1}), x,
                             torch::arange(count, torch::kLong));
  EXPECT_LT(max_difference(found.u, expected), 1e-10);
}

TEST(Lbfgs, FindsTheTopOfCoupledQuadraticsInABox) {
  // no closed form, but concave: the point where nothing of the gradient can be followed is the only maximum
  Quadratics quadratics({5, 50, 500, 5, 50, 500}, 8);
  const Box box(Bounds{-0.5, 0.5});
  const auto x = quadratics.x.clamp(-0.5, 0.5);
  const auto ascent = lbfgs(200).returned(InnerReturn::kLast);
  const auto found = climbed(quadratics.problem, ascent, std::make_shared<Box>(box), x, quadratics.y);
  const auto u = found.u.clone().set_requires_grad(true);
  quadratics.problem.per_sample_loss(u, quadratics.y).sum().backward();
  const auto left = box.followable(u.grad(), found.u, x);
  EXPECT_LT(left.abs().max().item<double>(), 1e-6);         // values of size 1 round to 1e-16: gradients to its root
  ASSERT_GT((left != u.grad()).sum().item<int64_t>(), 10);  // edges were met
}

TEST(Lbfgs, ReachesTheEdgeOfABallWhereALinearLossIsLargest) {
  Linear linear;
  for (const double eps : {0.01, 0.3, 20.0}) {
    const auto in_cube = climbed(linear.problem, lbfgs(10), make_ball(Norm::kLinf, eps), linear.x);
    EXPECT_LT(max_difference(in_cube.u, linear.x + eps * linear.a.sign()), 1e-12) << eps;
    const auto in_ball = climbed(linear.problem, lbfgs(10), make_ball(Norm::kL2, eps), linear.x);
    EXPECT_LT(max_difference(in_ball.u, linear.x + eps * linear.a / linear.norm), 1e-10 * eps) << eps;
  }
}

TEST(Lbfgs, FindsTheMoreauEnvelopeOfALinearLoss) {
  Linear linear;
  for (const double gamma : {0.1, 1.0, 50.0}) {
    for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
      auto maximizer = make_maximizer(linear.problem, std::make_shared<LinearPenalty>(gamma), make_cost("sq-l2"),
                                      lbfgs(20).returned(returned), unconstrained());
      const auto found = maximizer->maximize(linear.x, {});
      EXPECT_LT(max_difference(found.values, linear.loss_at_x + linear.norm * linear.norm / (4 * gamma)), 1e-12);
      // φ is flat at its top: points within √(1e-16·φ/γ) have the same value, and the first of them is the best
      const double flat = std::sqrt(1e-15 * found.values.max().item<double>() / gamma);
      EXPECT_LT(max_difference(found.u, linear.x + linear.a / (2 * gamma)),
                returned == InnerReturn::kBest ? flat : 1e-10)
          << gamma;
    }
  }
}

TEST(Lbfgs, FindsTheGaussianTransformOfALinearLoss) {
  Linear linear;
  for (const double sigma : {0.1, 0.5, 2.0}) {
    const auto b = linear.loss_at_x;
    const double n = linear.norm;
    const auto t = (-b + (b * b + 4 * n * n * sigma * sigma).sqrt()) / (2 * n);
    const auto expected = linear.x + t.unsqueeze(1) * linear.a / n;
    const auto value = (b + n * t) * torch::exp(-t * t / (2 * sigma * sigma));
    for (const bool log : {false, true}) {
      for (const auto returned : {InnerReturn::kBest, InnerReturn::kLast}) {
        const auto found = arks_of(linear.problem, GaussianKernel(sigma), log, lbfgs(20).returned(returned), linear.x);
        EXPECT_LT(max_difference(log ? found.values.exp() : found.values, value), 1e-12) << sigma;
        const double flat = sigma * 1e-7;
        EXPECT_LT(max_difference(found.u, expected), returned == InnerReturn::kBest ? flat : 1e-10) << sigma << log;
      }
    }
  }
}

}  // namespace arks
