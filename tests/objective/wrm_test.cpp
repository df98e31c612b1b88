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

TEST(Wrm, OfALinearLossHasAClosedForm) {
  for (const double gamma : {0.25, 1.0, 4.0}) {
    const auto theta = normal({4}, 2).set_requires_grad(true);
    auto problem = testing::linear_loss(theta);
    const auto x = normal({5, 4});
    const auto a = theta.detach();
    // one step of 1/(2γ) is Newton's on −γ‖u−x‖²
    const auto ascent = AscentOptions().rule(AscentRule::kSgd).momentum(0).learning_rate(1 / (2 * gamma)).steps(1);
    const auto found = evaluated(Wrm(gamma, ascent), problem, {x, torch::zeros({5})});
    const double rise = a.dot(a).item<double>() / (4 * gamma);
    EXPECT_NEAR(found.value, (x.matmul(a) + 3).mean().item<double>() + rise, 1e-13);
    EXPECT_LT(max_difference(found.gradients[0], x.mean(0) + a / (2 * gamma)), 1e-14);
    EXPECT_NEAR(*found.sums.cost, 5 * rise / gamma, 1e-12);  // ‖a‖²/(4γ²) each
    EXPECT_NEAR(*found.sums.adversarial_loss, found.sums.loss + 5 * 2 * rise, 1e-12);
    EXPECT_FALSE(found.sums.kernel);
  }
}

TEST(Wrm, WithTheDistanceItselfIsThePaschHausdorffEnvelope) {
  // γ above the Lipschitz constant ‖θ‖: nothing is gained by moving
  const auto theta = torch::tensor({0.6, 0.8}, torch::kDouble).set_requires_grad(true);
  auto problem = testing::linear_loss(theta);
  const Batch batch{normal({5, 2}), torch::zeros({5})};
  const auto found = evaluated(Wrm(1.01, AscentOptions(), std::make_shared<L2>()), problem, batch);
  EXPECT_EQ(found.sums.surrogate, found.sums.loss);
  // and below it the supremum is infinite: every step rises
  const auto rising = evaluated(Wrm(0.5, AscentOptions(), std::make_shared<L2>()), problem, batch);
  EXPECT_GT(rising.sums.surrogate, rising.sums.loss + 0.1);
}

TEST(Wrm, GradientIsThatOfTheSupremumMaximisedAnew) {
  const auto batch = small_batch(4);
  expect_derivative_matches(
      [&](const torch::Tensor& weights) {
        FunctionProblem problem(
            [&](const torch::Tensor& u, const torch::Tensor& y) { return CrossEntropy()(u.matmul(weights).tanh(), y); },
            {weights});
        auto generator = make_generator(0, Stream::kObjective);
        const auto ascent = AscentOptions().rule(AscentRule::kSgd).momentum(0).learning_rate(0.02).steps(80);
        return (*Wrm(10, ascent).bind(problem))(batch, generator).value;
      },
      normal({6, 3}, 4));
}

TEST(Wrm, SumsAreWhatADirectEvaluationGives) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  const auto ascent = AscentOptions().learning_rate(0.05);
  const auto sums = evaluated(Wrm(0.7, ascent), problem, batch).sums;
  const auto u = testing::maximized(problem, std::make_shared<LinearPenalty>(0.7), std::make_shared<SquaredL2>(),
                                    ascent, std::make_shared<Unconstrained>(), batch)
                     .u;
  const auto clean = problem.evaluate(batch.inputs, batch.targets);
  const auto moved = problem.per_sample_loss(u, batch.targets);
  const auto cost = (u - batch.inputs).pow(2).sum(1);
  EXPECT_NEAR(sums.loss, clean.loss.sum().item<double>(), 1e-13);
  EXPECT_EQ(sums.wrong, clean.wrong.sum().item<double>());
  EXPECT_NEAR(*sums.adversarial_loss, moved.sum().item<double>(), 1e-13);
  EXPECT_NEAR(*sums.cost, cost.sum().item<double>(), 1e-13);
  EXPECT_NEAR(sums.surrogate, (moved - 0.7 * cost).sum().item<double>(), 1e-13);
}

TEST(Wrm, IsNeverBelowTheLoss) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    SupervisedProblem problem(small_net(seed), CrossEntropy());
    for (const double gamma : {0.0, 0.1, 1.0, 1000.0}) {
      const auto sums = evaluated(Wrm(gamma, AscentOptions().learning_rate(0.3)), problem, small_batch(7, seed)).sums;
      EXPECT_GE(sums.surrogate, sums.loss) << seed << " " << gamma;
    }
  }
}

TEST(Wrm, RefusesNegativePenalties) {
  expect_error([] { Wrm objective(-1); }, "wrm: gamma must not be negative, got -1");
  expect_error([] { Wrm objective(std::nan("")); }, "wrm: gamma must not be negative, got nan");
  expect_error([] { Wrm objective(1, AscentOptions(), nullptr); }, "wrm: no cost given");
}

}  // namespace arks
