#include "attack/samples.h"

#include <cmath>

namespace arks {

using testing::classes;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;
using testing::perturbed;
using testing::plane;
using testing::small_problem;
using testing::unit_inputs;

namespace {

torch::Tensor losses(Problem& problem, const torch::Tensor& x, const torch::Tensor& y) {
  torch::NoGradGuard no_grad;
  return problem.per_sample_loss(x, y);
}

PgdOptions few(Norm norm) {
  return PgdOptions().norm(norm).eps(0.3).alpha(0.1).steps(7);
}

/// Steps α·sign leave the top of a hill at distance below α.
double hills(double u) {
  return std::cos(3 * u) + 0.1 * u;
}

}  // namespace

TEST(Pgd, ReachesTheMaximumOfALinearLoss) {
  const auto a = normal({5}, 2), x = normal({4, 5}), y = torch::zeros({4});
  auto problem = plane(a);
  const auto at = losses(problem, x, y);
  const auto linf = perturbed(PgdAttack(few(Norm::kLinf)), problem, x, y);
  EXPECT_LT(max_difference(losses(problem, linf, y), at + 0.3 * a.norm(1)), 1e-14);
  const auto l2 = perturbed(PgdAttack(few(Norm::kL2)), problem, x, y);
  EXPECT_LT(max_difference(losses(problem, l2, y), at + 0.3 * a.norm()), 1e-14);
}

TEST(Pgd, GoesAsFarAsItsStepsWhenTheBallIsLarger) {
  const auto a = normal({5}, 2), x = normal({4, 5}), y = torch::zeros({4});
  auto problem = plane(a);
  const auto found = perturbed(PgdAttack(PgdOptions().eps(10).alpha(0.03).steps(15)), problem, x, y);
  EXPECT_LT(max_difference(found, x + 0.45 * a.sign()), 1e-14);
}

TEST(Pgd, StaysInTheBallAndTheBounds) {
  auto problem = small_problem();
  const auto x = unit_inputs(40, 8), y = classes(40);
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    for (const bool random : {false, true}) {
      for (const bool project : {false, true}) {
        for (const int64_t restarts : {1, 3}) {
          const auto options = few(norm).random_start(random).project_bounds(project).restarts(restarts);
          const auto u = perturbed(PgdAttack(options), problem, x, y, Bounds{0, 1});
          const auto moved = (u - x).norm(norm == Norm::kL2 ? 2.0 : INFINITY, {1});
          EXPECT_LE(moved.max().item<double>(), 0.3 * (1 + 1e-14));
          EXPECT_GT(moved.min().item<double>(), 0);
          EXPECT_GE(u.min().item<double>(), 0);
          EXPECT_LE(u.max().item<double>(), 1);
        }
      }
    }
  }
}

TEST(Pgd, ClampsOnceAtTheEndUnlessToldOtherwise) {
  // the gradient looks at u₀ only outside the box, so the two variants part
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) {
    return u.select(1, 0) + u.select(1, 1) * (u.select(1, 0) - 1).clamp_min(0);
  });
  const auto x = torch::tensor({{0.95, 0.5}}, torch::kDouble), y = torch::zeros({1});
  const auto published = perturbed(PgdAttack(few(Norm::kLinf)), problem, x, y, Bounds{0, 1});
  const auto projected = perturbed(PgdAttack(few(Norm::kLinf).project_bounds(true)), problem, x, y, Bounds{0, 1});
  EXPECT_LT(max_difference(published, torch::tensor({{1.0, 0.8}}, torch::kDouble)), 1e-14);
  EXPECT_LT(max_difference(projected, torch::tensor({{1.0, 0.5}}, torch::kDouble)), 1e-14);
}

TEST(Pgd, OfRadiusZeroReturnsTheSample) {
  auto problem = small_problem();
  const auto x = unit_inputs(6, 8), y = classes(6);
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    for (const bool random : {false, true}) {
      const PgdAttack attack(few(norm).eps(0).random_start(random).restarts(2));
      EXPECT_TRUE(identical(perturbed(attack, problem, x, y, Bounds{0, 1}), x));
    }
  }
}

TEST(Pgd, KeepsTheWorstRestartOfEachSampleOnItsOwn) {
  // a hilly line: which hill a start climbs is chance, and differs from sample to sample
  FunctionProblem problem(
      [](const torch::Tensor& u, const torch::Tensor&) { return (3 * u.select(1, 0)).cos() + 0.1 * u.select(1, 0); });
  const auto x = torch::linspace(-2, 2, 64, torch::kDouble).unsqueeze(1);
  const auto y = torch::zeros({64});
  const auto options = PgdOptions().eps(3).alpha(0.05).steps(60).random_start(true);
  // the runs one by one, from the same stream of random numbers
  auto generator = make_generator(4, Stream::kAttack);
  std::vector<torch::Tensor> runs;
  for (int i = 0; i < 5; ++i) {
    runs.push_back(losses(problem, PgdAttack(options).perturb(problem, x, y, {}, generator).inputs, y));
  }
  const auto [worst, which] = torch::stack(runs).max(0);
  EXPECT_GT(std::get<0>(torch::_unique(which)).size(0), 2) << "the runs must differ for this to show anything";
  const auto found = perturbed(PgdAttack(PgdOptions(options).restarts(5)), problem, x, y, {}, 4);
  EXPECT_TRUE(identical(losses(problem, found, y), worst));
  EXPECT_NEAR(worst.max().item<double>(), hills(4 * M_PI / 3), 0.02);
}

TEST(Pgd, WithRestartsIsNeverWorseThanOneRunFromTheSample) {
  auto problem = small_problem();
  const auto x = unit_inputs(60, 8), y = classes(60);
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    torch::NoGradGuard no_grad;
    const auto one = problem.evaluate(perturbed(PgdAttack(few(norm)), problem, x, y, Bounds{0, 1}), y);
    const auto many = problem.evaluate(perturbed(PgdAttack(few(norm).restarts(4)), problem, x, y, Bounds{0, 1}), y);
    const auto as_wrong = (many.wrong == one.wrong).logical_and(many.loss >= one.loss);
    EXPECT_TRUE(as_wrong.logical_or(many.wrong.logical_and(one.wrong.logical_not())).all().item<bool>());
    EXPECT_GT(many.loss.sum().item<double>(), one.loss.sum().item<double>()) << "some restart found more";
  }
}

TEST(Pgd, PrefersAnErrorToALargerLoss) {
  // right and wrong by the sign of u, the loss by its absolute value: the larger loss lies on the right side
  class Contrary : public FunctionProblem {
   public:
    Contrary() : FunctionProblem([](const torch::Tensor& u, const torch::Tensor&) { return value(u); }) {}
    Evaluation evaluate(const torch::Tensor& u, const torch::Tensor& y, bool with_log) override {
      auto result = FunctionProblem::evaluate(u, y, with_log);
      result.wrong = u.detach().select(1, 0) < 0;
      return result;
    }
    static torch::Tensor value(const torch::Tensor& u) {
      const auto v = u.select(1, 0);
      return torch::where(v < 0, -v, 2 * v);
    }
  };
  Contrary problem;
  const auto x = torch::full({30, 1}, 0.05, torch::kDouble);
  const PgdAttack attack(PgdOptions().eps(1).alpha(0.1).steps(20).restarts(8));
  // from x the ascent goes to the right; among seven random starts half go to the left
  const auto found = perturbed(attack, problem, x, torch::zeros({30}));
  EXPECT_GT((found < 0).sum().item<int64_t>(), 25);
}

TEST(Pgd, DrawsRandomStartsFromTheGeneratorItIsHanded) {
  auto problem = small_problem();
  const auto x = unit_inputs(6, 8), y = classes(6);
  const PgdAttack attack(few(Norm::kL2).random_start(true));
  torch::manual_seed(1);
  const auto one = perturbed(attack, problem, x, y, {}, 3);
  torch::manual_seed(2);
  EXPECT_TRUE(identical(perturbed(attack, problem, x, y, {}, 3), one));
  EXPECT_FALSE(identical(perturbed(attack, problem, x, y, {}, 4), one));
}

TEST(Pgd, AttacksSamplesThatAreAllMisclassifiedAlready) {
  auto problem = small_problem();
  const auto x = unit_inputs(9, 8);
  const auto y = (problem.predict(x).argmax(1) + 1).remainder(3);
  for (const int64_t restarts : {1, 3}) {
    const auto found = perturbed(PgdAttack(few(Norm::kLinf).restarts(restarts)), problem, x, y, Bounds{0, 1});
    EXPECT_TRUE((losses(problem, found, y) >= losses(problem, x, y)).all().item<bool>());
  }
}

TEST(Pgd, CountsASampleAsStuckOnlyWhenEveryStartIs) {
  // flat within 0.01 of x, steep outside: a start at x is stuck, a random one nearly never
  const auto x = torch::full({6, 3}, 0.5, torch::kDouble);
  FunctionProblem problem(
      [](const torch::Tensor& u, const torch::Tensor&) { return ((u - 0.5).abs() - 0.01).clamp_min(0).sum(1); });
  const auto stuck = [&](int64_t restarts) {
    auto generator = make_generator(0, Stream::kAttack);
    const PgdAttack attack(few(Norm::kLinf).restarts(restarts));
    return attack.perturb(problem, x, torch::zeros({6}), {}, generator).zero_gradients;
  };
  EXPECT_EQ(stuck(1), 6);
  EXPECT_EQ(stuck(2), 0);
}

TEST(Pgd, CountsGradientsThatAreExactlyZero) {
  // flat below 0.5: a masked gradient
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return (u - 0.5).clamp_min(0).sum(1); });
  const auto x = torch::tensor({{0.1}, {0.9}, {0.2}, {0.7}}, torch::kDouble);
  auto generator = make_generator(0, Stream::kAttack);
  const auto found = PgdAttack(few(Norm::kLinf)).perturb(problem, x, torch::zeros({4}), {}, generator);
  EXPECT_EQ(found.zero_gradients, 2);
  EXPECT_LT(max_difference(found.inputs, torch::tensor({{0.1}, {1.2}, {0.2}, {1.0}}, torch::kDouble)), 1e-14);
}

TEST(Pgd, LeavesTheModelAsItWas) {
  torch::nn::Sequential net(torch::nn::Linear(8, 6), torch::nn::BatchNorm1d(6), torch::nn::Linear(6, 3));
  net->to(torch::kDouble);
  SupervisedProblem problem(net, CrossEntropy());
  net->train();
  const auto mean = net->named_buffers()["1.running_mean"].clone();
  perturbed(PgdAttack(few(Norm::kLinf).restarts(2)), problem, unit_inputs(6, 8), classes(6));
  EXPECT_TRUE(net->is_training());
  EXPECT_TRUE(identical(net->named_buffers()["1.running_mean"], mean));
  for (const auto& weight : net->parameters()) {
    EXPECT_TRUE(weight.requires_grad());
    EXPECT_FALSE(weight.grad().defined());
  }
}

TEST(Pgd, TakesAnyShapeOfSample) {
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor&) { return u.flatten(1).pow(2).sum(1); });
  for (const auto& shape : std::vector<std::vector<int64_t>>{{3, 1}, {3, 4}, {3, 2, 5}, {3, 2, 2, 2, 2}}) {
    for (const auto norm : {Norm::kLinf, Norm::kL2}) {
      EXPECT_EQ(perturbed(PgdAttack(few(norm).restarts(2)), problem, normal(shape), torch::zeros({3})).sizes(), shape);
    }
  }
}

TEST(Pgd, RefusesInputsOutsideTheBounds) {
  auto problem = small_problem();
  const auto x = unit_inputs(6, 8);
  x[2][3] = 1.5;
  expect_error(
      [&] {
        perturbed(PgdAttack(), problem, x, classes(6), Bounds{0, 1});
      },
      "attack: inputs are outside the given range [0, 1]");
  x[2][3] = std::nan("");
  expect_error([&] { perturbed(PgdAttack(), problem, x, classes(6), Bounds{0, 1}); }, "outside the given range");
}

TEST(Pgd, RefusesOptionsThatCannotBeUsed) {
  expect_error([] { PgdAttack attack(PgdOptions().eps(-1)); }, "eps must be finite and not negative, got -1");
  expect_error([] { PgdAttack attack(PgdOptions().steps(0)); }, "steps must be positive, got 0");
  expect_error([] { PgdAttack attack(PgdOptions().alpha(0)); }, "alpha must be positive, got 0");
  expect_error([] { PgdAttack attack(PgdOptions().restarts(0)); }, "restarts must be positive, got 0");
}

TEST(Pgd, WithARadiusPerFeatureReachesTheMaximumOfALinearLoss) {
  const auto a = normal({5}, 2), x = normal({4, 5}), y = torch::zeros({4});
  const auto scale = torch::tensor({1.0, 0.0, 3.0, 0.5, 10.0}, torch::kDouble);
  auto problem = plane(a);
  const auto at = losses(problem, x, y);
  for (const int64_t restarts : {1, 3}) {
    for (const bool random : {false, true}) {
      // 20 steps cross the ball, from wherever they start
      const auto options = few(Norm::kLinf).steps(20).eps_scale(scale).random_start(random).restarts(restarts);
      const auto found = perturbed(PgdAttack(options), problem, x, y);
      EXPECT_LT(max_difference(losses(problem, found, y), at + (0.3 * scale * a.abs()).sum()), 1e-13);
      EXPECT_TRUE(identical(found.select(1, 1), x.select(1, 1))) << "a scale of 0 holds the feature still";
    }
  }
}

TEST(Pgd, WithARadiusPerFeatureReachesAllEdgesTogether) {
  const auto a = normal({4}, 2), x = normal({3, 4}), y = torch::zeros({3});
  const auto scale = torch::tensor({1.0, 0.1, 7.0, 0.0}, torch::kDouble);
  auto problem = plane(a);
  const auto options = PgdOptions().eps(0.3).alpha(0.1).eps_scale(scale);
  for (const int64_t steps : {1, 2, 3, 5}) {
    const auto moved = perturbed(PgdAttack(PgdOptions(options).steps(steps)), problem, x, y) - x;
    const double share = 0.1 * std::min<double>(static_cast<double>(steps), 3);
    EXPECT_LT(max_difference(moved, (share * scale * a.sign()).expand_as(x)), 1e-14) << steps;
  }
}

TEST(Pgd, WithEqualScalesIsTheOneOfALargerRadius) {
  auto problem = small_problem();
  const auto x = unit_inputs(10, 8), y = classes(10);
  const auto scaled = perturbed(PgdAttack(few(Norm::kLinf).eps_scale(torch::full({8}, 2.0))), problem, x, y);
  const auto larger = perturbed(PgdAttack(few(Norm::kLinf).eps(0.6).alpha(0.2)), problem, x, y);
  EXPECT_LT(max_difference(scaled, larger), 1e-14);
}

TEST(Pgd, AttacksRegression) {
  // the squared error of a linear model: the residual grows by eps·‖a‖₁ away from zero
  const auto a = normal({5}, 2), x = normal({6, 5}), y = normal({6}, 8);
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor& t) { return (u.matmul(a) - t).square(); });
  const auto residual = (x.matmul(a) - y).abs();
  const auto linf = perturbed(PgdAttack(few(Norm::kLinf)), problem, x, y);
  EXPECT_LT(max_difference(losses(problem, linf, y), (residual + 0.3 * a.norm(1)).square()), 1e-12);
  const auto l2 = perturbed(PgdAttack(few(Norm::kL2).restarts(3)), problem, x, y);
  EXPECT_LT(max_difference(losses(problem, l2, y), (residual + 0.3 * a.norm()).square()), 1e-12);
}

TEST(Pgd, AttacksSamplesThatAreNumbers) {
  // as in robust least squares: u is [n], and so is y
  FunctionProblem problem([](const torch::Tensor& u, const torch::Tensor& y) { return (2 * u - y).square(); });
  const auto x = normal({7}), y = normal({7}, 8);
  const auto expected = ((2 * x - y).abs() + 0.6).square();
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    for (const int64_t restarts : {1, 3}) {
      const auto found = perturbed(PgdAttack(few(norm).restarts(restarts)), problem, x, y);
      EXPECT_EQ(found.sizes(), x.sizes());
      EXPECT_LT(max_difference(losses(problem, found, y), expected), 1e-12);
    }
  }
  const auto bounded = perturbed(PgdAttack(few(Norm::kLinf)), problem, x, y, Bounds{-5, 5});
  EXPECT_LT(max_difference(losses(problem, bounded, y), expected), 1e-12);
  const auto scaled = perturbed(PgdAttack(few(Norm::kLinf).eps_scale(torch::tensor({2.0}))), problem, x, y);
  EXPECT_LT(max_difference(losses(problem, scaled, y), ((2 * x - y).abs() + 1.2).square()), 1e-12);
}

TEST(Pgd, RefusesAModelWithoutGradients) {
  const auto weights = normal({8, 3});
  SupervisedProblem problem(Model([=](const torch::Tensor& x) { return x.detach().matmul(weights); }), CrossEntropy());
  expect_error([&] { perturbed(PgdAttack(few(Norm::kLinf)), problem, unit_inputs(6, 8), classes(6)); },
               "no gradient of the loss comes back to the input");
}

TEST(Pgd, RefusesScalesThatDoNotFit) {
  auto problem = small_problem();
  expect_error(
      [&] {
        perturbed(PgdAttack(few(Norm::kLinf).eps_scale(torch::ones({3}))), problem, unit_inputs(6, 8), classes(6));
      },
      "shape [3] does not fit samples of shape [8]");
  expect_error([] { PgdAttack attack(few(Norm::kL2).eps_scale(torch::ones({3}))); },
               "a radius per feature needs norm linf, not l2");
  expect_error([] { PgdAttack attack(few(Norm::kLinf).eps_scale(-torch::ones({3}))); },
               "must be finite and not negative");
}

}  // namespace arks
