#include "objective/samples.h"

#include <cmath>

namespace arks {

using testing::evaluated;
using testing::expect_derivative_matches;
using testing::expect_error;
using testing::max_difference;
using testing::normal;
using testing::small_batch;
using testing::small_net;

namespace {

/// Plain gradient ascent to the end: on these problems the last step changes nothing any more.
AscentOptions converged(double rate, int64_t steps = 600) {
  return AscentOptions().rule(AscentRule::kSgd).momentum(0).learning_rate(rate).steps(steps);
}

/// Two inputs, three classes, and curved enough to have no closed form.
torch::Tensor curved_logits(const torch::Tensor& u, const torch::Tensor& weights) {
  return torch::cat({u.matmul(weights).tanh(), u.matmul(weights).sin().sum(1, true)}, 1);
}

FunctionProblem curved_loss(const torch::Tensor& weights) {
  return FunctionProblem([weights](const torch::Tensor& u,
                                   const torch::Tensor& y) { return CrossEntropy()(curved_logits(u, weights), y); },
                         {weights});
}

Batch plane_batch() {
  return {normal({5, 2}, 3), torch::arange(5, torch::kLong).remainder(3)};
}

double majorant(const Objective& objective, Problem& problem, const Batch& batch) {
  return evaluated(objective, problem, batch).value;
}

}  // namespace

TEST(Arks, OfALinearLossHasAClosedForm) {
  for (const double sigma : {0.1, 0.5, 1.0}) {
    const auto theta = normal({4}, 2).set_requires_grad(true);
    auto problem = testing::linear_loss(theta);
    const auto x = 0.3 * normal({5, 4});
    const auto a = theta.detach(), b = x.matmul(a) + 3;
    const auto length = a.norm();
    const auto t = (-b + (b * b + 4 * length * length * sigma * sigma).sqrt()) / (2 * length);
    const auto u = x + t.unsqueeze(1) * a / length;
    const auto kernel = (-t * t / (2 * sigma * sigma)).exp();
    const auto value = (b + length * t) * kernel;
    for (const auto form : {InnerForm::kProduct, InnerForm::kLog}) {
      // the product's curvature is about b/σ², the logarithm's 1/σ²: half the inverse of it converges
      const double rate = form == InnerForm::kLog ? sigma * sigma / 2 : sigma * sigma / 10;
      const auto found = evaluated(Arks(GaussianKernel(sigma), converged(rate), form), problem, {x, torch::zeros({5})});
      EXPECT_NEAR(found.value, value.mean().item<double>(), 1e-13) << sigma;
      // the best iterate is told by its value, which is flat there: φ rounds at 4e-16·φ and falls as φ·(t−t*)²/(2σ²),
      // so t is known to σ√(2·4e-16) ≤ 3e-8, and what depends on it to first order to that times ‖a‖ ≈ 2, five samples
      EXPECT_LT(max_difference(found.gradients[0], (kernel.unsqueeze(1) * u).mean(0)), 1e-7) << sigma;
      EXPECT_NEAR(*found.sums.kernel, kernel.sum().item<double>(), 3e-7);
      EXPECT_NEAR(*found.sums.cost, (t * t / 2).sum().item<double>(), 3e-7);
      EXPECT_NEAR(*found.sums.adversarial_loss, (b + length * t).sum().item<double>(), 3e-7);
      EXPECT_NEAR(found.sums.loss, b.sum().item<double>(), 1e-13);
    }
  }
}

TEST(Arks, GradientIsThatOfTheSupremumMaximisedAnew) {
  const auto batch = plane_batch();
  expect_derivative_matches(
      [&](const torch::Tensor& weights) {
        auto problem = curved_loss(weights);
        auto generator = make_generator(0, Stream::kObjective);
        return (*Arks(GaussianKernel(0.2), converged(0.02, 150), InnerForm::kLog).bind(problem))(batch, generator)
            .value;
      },
      normal({2, 2}, 4));
}

TEST(Arks, GradientIsThatOfTheSurrogateWithItsPointHeldFixed) {
  // 15 steps do not converge: the promise is then about u* as it was found
  const auto net = small_net();
  SupervisedProblem problem(net, CrossEntropy());
  const auto batch = small_batch();
  const auto ascent = AscentOptions().learning_rate(0.05);
  const auto found = evaluated(Arks(GaussianKernel(0.5), ascent), problem, batch);
  const auto inner =
      testing::maximized(problem, std::make_shared<KernelProduct>(0.25), std::make_shared<HalfSquaredL2>(), ascent,
                         std::make_shared<Unconstrained>(), batch);
  const auto kernel = GaussianKernel(0.5)(inner.u, batch.inputs);
  const double h = 1e-6;
  for (size_t i = 0; i < problem.parameters().size(); ++i) {
    auto entries = problem.parameters()[i].detach().view(-1);
    const auto gradient = found.gradients[i].reshape(-1);
    for (int64_t j = 0; j < entries.size(0); ++j) {
      const double kept = entries[j].item<double>();
      const auto value_at = [&](double entry) {
        entries[j] = entry;
        torch::NoGradGuard no_grad;
        return (problem.per_sample_loss(inner.u, batch.targets) * kernel).mean().item<double>();
      };
      const double expected = (value_at(kept + h) - value_at(kept - h)) / (2 * h);
      entries[j] = kept;
      EXPECT_NEAR(gradient[j].item<double>(), expected, 1e-8) << i << " " << j;
    }
  }
}

TEST(Arks, SumsAreWhatADirectEvaluationGives) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  const auto ascent = AscentOptions().learning_rate(0.05);
  const auto sums = evaluated(Arks(LaplacianKernel(0.8), ascent), problem, batch).sums;
  const auto u = testing::maximized(problem, std::make_shared<KernelProduct>(0.8), std::make_shared<L1>(), ascent,
                                    std::make_shared<Unconstrained>(), batch)
                     .u;
  const auto clean = problem.evaluate(batch.inputs, batch.targets);
  const auto moved = problem.per_sample_loss(u, batch.targets);
  const auto kernel = LaplacianKernel(0.8)(u, batch.inputs);
  EXPECT_EQ(sums.samples, 7);
  EXPECT_NEAR(sums.loss, clean.loss.sum().item<double>(), 1e-13);
  EXPECT_EQ(sums.wrong, clean.wrong.sum().item<double>());
  EXPECT_NEAR(*sums.adversarial_loss, moved.sum().item<double>(), 1e-13);
  EXPECT_NEAR(*sums.kernel, kernel.sum().item<double>(), 1e-13);
  EXPECT_NEAR(*sums.cost, (u - batch.inputs).abs().sum().item<double>(), 1e-13);
  EXPECT_NEAR(sums.surrogate, (moved * kernel).sum().item<double>(), 1e-13);
}

TEST(Arks, LiesBetweenTheLossAndTheLargestValueOnAGrid) {
  const auto weights = normal({2, 2}, 4);
  auto problem = curved_loss(weights.clone().set_requires_grad(true));
  const auto batch = plane_batch();
  const double erm = majorant(Erm(), problem, batch);
  const auto line = torch::linspace(-5, 5, 1001, torch::kDouble);
  const auto axes = torch::meshgrid({line, line}, "ij");
  const auto grid = torch::stack({axes[0].flatten(), axes[1].flatten()}, 1);
  torch::Tensor grid_losses;  // of every class
  {
    torch::NoGradGuard no_grad;
    const auto logits = curved_logits(grid, weights);
    grid_losses = logits.logsumexp(1, true) - logits;
  }
  for (const double sigma : {0.1, 0.3, 0.6}) {
    double largest = 0;
    for (int64_t i = 0; i < 5; ++i) {
      const auto distance = (grid - batch.inputs[i]).pow(2).sum(1);
      const auto values =
          grid_losses.select(1, batch.targets[i].item<int64_t>()) * (-distance / (2 * sigma * sigma)).exp();
      largest += values.max().item<double>() / 5;
    }
    const double found = majorant(Arks(GaussianKernel(sigma), AscentOptions().steps(200)), problem, batch);
    // between grid points a maximum of curvature κ rises by at most κh²/4 per dimension, κ ≲ 3/σ² and h = 0.01
    const double between_points = 2 * 3 / (sigma * sigma) * 1e-4 / 4;
    EXPECT_LE(found, largest + between_points) << sigma;
    EXPECT_GT(found, erm) << sigma;
  }
}

TEST(Arks, IsNeverBelowTheLossUnlessTheLastIterateIsAskedFor) {
  bool last_was_below = false;
  for (uint64_t seed = 1; seed < 10; ++seed) {
    SupervisedProblem problem(small_net(seed), CrossEntropy());
    const auto batch = small_batch(7, seed + 100);
    for (const double rate : {0.001, 0.1, 1.0}) {
      for (const double sigma : {0.01, 0.3, 2.0}) {
        for (const auto form : {InnerForm::kProduct, InnerForm::kLog}) {
          const auto ascent = AscentOptions().learning_rate(rate).steps(5);
          const auto best = evaluated(Arks(GaussianKernel(sigma), ascent, form), problem, batch).sums;
          // in log form the best iterate is chosen by its logarithm: a tie in rounding may cost the last digit
          EXPECT_GE(best.surrogate, best.loss * (1 - 1e-14)) << seed << " " << rate << " " << sigma;
          const auto published = AscentOptions(ascent).returned(InnerReturn::kLast);
          const auto last = evaluated(Arks(GaussianKernel(sigma), published, form), problem, batch).sums;
          last_was_below = last_was_below || last.surrogate < last.loss;
        }
      }
    }
  }
  EXPECT_TRUE(last_was_below) << "otherwise this test shows nothing";
}

TEST(Arks, GrowsWithTheBandwidth) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  double before = majorant(Erm(), problem, small_batch());
  for (const double sigma : {0.05, 0.1, 0.2, 0.4}) {
    const double rate = sigma * sigma / 10;
    const double found = majorant(Arks(GaussianKernel(sigma), converged(rate)), problem, small_batch());
    EXPECT_GT(found, before) << sigma;
    before = found;
  }
}

TEST(Arks, LeavesGradientsAndModesOfTheModelAlone) {
  const auto net = small_net();
  SupervisedProblem problem(net, CrossEntropy());
  auto generator = make_generator(0, Stream::kObjective);
  const auto state = generator.get_state();
  const auto majorant = Arks(GaussianKernel(0.5)).bind(problem);
  (*majorant)(small_batch(), generator);
  for (const auto& parameter : net->parameters()) {
    EXPECT_FALSE(parameter.grad().defined());
    EXPECT_TRUE(parameter.requires_grad());
  }
  EXPECT_TRUE(net->is_training());
  EXPECT_TRUE(torch::equal(generator.get_state(), state)) << "ARKS draws no random numbers";
}

TEST(Arks, RefusesBandwidthsThatAreNotPositive) {
  expect_error([] { Arks objective(GaussianKernel(0)); }, "sigma must be positive, got 0");
  expect_error([] { Arks objective(GaussianKernel(-0.5)); }, "sigma must be positive, got -0.5");
  expect_error([] { Arks objective(LaplacianKernel(std::nan(""))); }, "sigma must be positive, got nan");
  expect_error([] { Arks objective(Kernel(make_cost("l1"), 0)); }, "temperature must be positive, got 0");
}

TEST(Arks, RefusesAscentsThatCannotClimb) {
  const GaussianKernel kernel(0.5);
  expect_error([&] { Arks objective(kernel, AscentOptions().steps(-1)); }, "inner steps must not be negative, got -1");
  expect_error([&] { Arks objective(kernel, AscentOptions().learning_rate(0)); },
               "inner learning rate must be positive and finite, got 0");
}

}  // namespace arks
