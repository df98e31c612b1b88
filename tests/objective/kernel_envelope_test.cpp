#include "objective/samples.h"

#include <cmath>

namespace arks {

using testing::evaluated;
using testing::expect_derivative_matches;
using testing::expect_error;
using testing::normal;
using testing::small_batch;
using testing::small_net;

namespace {

AscentOptions careful() {
  return AscentOptions().learning_rate(0.02).steps(200);
}

}  // namespace

TEST(KernelEnvelope, OfALinearLossIsWhatAGridFinds) {
  // one dimension, so that the supremum over the domain can be had by looking everywhere
  const auto theta = torch::tensor({1.3}, torch::kDouble).set_requires_grad(true);
  auto problem = testing::linear_loss(theta);
  const auto x = torch::tensor({{-0.9}, {-0.2}, {0.4}, {1.0}}, torch::kDouble);
  const auto grid = torch::linspace(-1, 1, 200001, torch::kDouble);
  for (const double gamma : {0.5, 3.0, 20.0}) {
    for (const double sigma : {0.2, 1.0}) {
      double expected = 0;
      for (int64_t i = 0; i < 4; ++i) {
        const auto k = (-(grid - x[i]).pow(2) / (2 * sigma * sigma)).exp();
        expected += (1.3 * grid + 3 - gamma * (1 - k)).max().item<double>() / 4;
      }
      const KernelEnvelope objective(GaussianKernel(sigma), KernelEnvelopeOptions({-1, 1}).gamma(gamma).restarts(20),
                                     careful());
      EXPECT_NEAR(evaluated(objective, problem, {x, torch::zeros({4})}).value, expected, 1e-6) << gamma << " " << sigma;
    }
  }
}

TEST(KernelEnvelope, MajorisesAndTendsToTheLoss) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  double previous = std::numeric_limits<double>::infinity();
  for (const double gamma : {0.0, 1.0, 10.0, 1e3, 1e6}) {
    const KernelEnvelope objective(GaussianKernel(0.5), KernelEnvelopeOptions({-4, 4}).gamma(gamma).restarts(3),
                                   AscentOptions().rule(AscentRule::kNormalized).learning_rate(0.05).steps(40));
    const auto sums = evaluated(objective, problem, batch).sums;
    EXPECT_GE(sums.surrogate, sums.loss) << gamma;
    EXPECT_LE(sums.surrogate, previous + 1e-3) << gamma;
    previous = sums.surrogate;
    if (gamma == 1e6) EXPECT_NEAR(sums.surrogate, sums.loss, 1e-4 * sums.loss);
  }
}

TEST(KernelEnvelope, WithoutPenaltyIsTheWorstCase) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  const auto ascent = AscentOptions().rule(AscentRule::kSign).learning_rate(0.2).steps(40);
  const auto free =
      evaluated(KernelEnvelope(GaussianKernel(0.5), KernelEnvelopeOptions({-3, 3}).gamma(0), ascent), problem, batch);
  const auto worst = evaluated(WorstCase(WorstCaseOptions({-3, 3}), ascent), problem, batch);
  EXPECT_EQ(free.value, worst.value);
}

TEST(KernelEnvelope, GradientIsThatOfTheSupremumMaximisedAnew) {
  const auto batch = small_batch(4);
  expect_derivative_matches(
      [&](const torch::Tensor& weights) {
        FunctionProblem problem(
            [&](const torch::Tensor& u, const torch::Tensor& y) { return CrossEntropy()(u.matmul(weights).tanh(), y); },
            {weights});
        auto generator = make_generator(0, Stream::kObjective);
        const auto ascent = AscentOptions().rule(AscentRule::kSgd).momentum(0).learning_rate(0.02).steps(150);
        const KernelEnvelope objective(GaussianKernel(1), KernelEnvelopeOptions({-9, 9}).gamma(15).restarts(1), ascent);
        return (*objective.bind(problem))(batch, generator).value;
      },
      normal({6, 3}, 4));
}

TEST(KernelEnvelope, RefusesWhatItCannotUse) {
  const GaussianKernel kernel(1);
  expect_error([&] { KernelEnvelope objective(kernel, KernelEnvelopeOptions({1, -1})); }, "need low < high, got 1,-1");
  expect_error(
      [&] {
        KernelEnvelope objective(kernel, KernelEnvelopeOptions({-1, 1}).gamma(-2));
      },
      "gamma must be finite and not negative, got -2");
  expect_error(
      [&] {
        KernelEnvelope objective(kernel, KernelEnvelopeOptions({-1, 1}).restarts(0));
      },
      "restarts must be positive, got 0");
  SupervisedProblem problem(small_net(), CrossEntropy());
  expect_error(
      [&] {
        evaluated(KernelEnvelope(kernel, KernelEnvelopeOptions({-0.1, 0.1})), problem, small_batch());
      },
      "outside the given range");
}

}  // namespace arks
