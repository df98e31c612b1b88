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

/// K⁻¹ by a plain inverse of a matrix filled entry by entry.
torch::Tensor inverse_matrix(const torch::Tensor& x, double sigma, double jitter) {
  auto matrix = torch::empty({x.size(0), x.size(0)}, torch::kDouble);
  for (int64_t i = 0; i < x.size(0); ++i) {
    for (int64_t j = 0; j < x.size(0); ++j) {
      matrix[i][j] = std::exp(-(x[i] - x[j]).pow(2).sum().item<double>() / (2 * sigma * sigma));
    }
  }
  return torch::linalg_inv(matrix + jitter * torch::eye(x.size(0), torch::kDouble));
}

KernelInterpolantOptions options(InterpolantVariant variant) {
  return KernelInterpolantOptions().variant(variant).epsilon(0.3).lambda(0.2).jitter(1e-3);
}

}  // namespace

TEST(KernelInterpolant, EqualsADirectSolve) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  const auto inverse = inverse_matrix(batch.inputs, 2, 1e-3);
  const auto loss = problem.per_sample_loss(batch.inputs, batch.targets).detach();
  const auto logits = problem.predict(batch.inputs).detach();
  const auto value = [&](InterpolantVariant variant) {
    return evaluated(KernelInterpolant(GaussianKernel(2), options(variant)), problem, batch).value;
  };
  const double mean = loss.mean().item<double>();
  EXPECT_NEAR(value(InterpolantVariant::kLoss), mean + 0.3 * std::sqrt(loss.dot(inverse.mv(loss)).item<double>()),
              1e-9);
  EXPECT_NEAR(value(InterpolantVariant::kRidge), mean + 0.2 * (logits * inverse.matmul(logits)).sum().item<double>(),
              1e-9);
  const auto kernel_matrix = GaussianKernel(2).matrix(batch.inputs, batch.inputs);
  const auto smoothed = kernel_matrix.matmul(inverse_matrix(batch.inputs, 2, 1e-3 + 0.2)).matmul(logits);
  const auto smoothed_loss = CrossEntropy()(smoothed, batch.targets);
  EXPECT_NEAR(value(InterpolantVariant::kModel),
              mean + 0.3 * std::sqrt(smoothed_loss.dot(inverse.mv(smoothed_loss)).item<double>()), 1e-9);
}

TEST(KernelInterpolant, WithoutItsPenaltyIsErm) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  const double erm = evaluated(Erm(), problem, batch).value;
  EXPECT_NEAR(
      evaluated(KernelInterpolant(GaussianKernel(1), KernelInterpolantOptions().epsilon(0)), problem, batch).value, erm,
      1e-14);
}

TEST(KernelInterpolant, OfTheModelTendsToThatOfTheLossAtItsOwnSites) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  const auto of = [&](InterpolantVariant variant, double lambda) {
    return evaluated(KernelInterpolant(GaussianKernel(1), options(variant).lambda(lambda).jitter(1e-9)), problem, batch)
        .value;
  };
  EXPECT_NEAR(of(InterpolantVariant::kModel, 1e-9), of(InterpolantVariant::kLoss, 1), 1e-6);
  EXPECT_GT(std::abs(of(InterpolantVariant::kModel, 0.5) - of(InterpolantVariant::kLoss, 1)), 1e-3);
}

TEST(KernelInterpolant, DerivativesMatchDifferences) {
  const auto batch = small_batch(5);
  for (const auto variant : {InterpolantVariant::kLoss, InterpolantVariant::kModel, InterpolantVariant::kRidge}) {
    expect_derivative_matches(
        [&](const torch::Tensor& weights) {
          SupervisedProblem problem(Model([&](const torch::Tensor& u) { return u.matmul(weights).tanh(); }, {weights}),
                                    CrossEntropy());
          auto generator = make_generator(0, Stream::kObjective);
          return (*KernelInterpolant(GaussianKernel(2), options(variant)).bind(problem))(batch, generator).value;
        },
        normal({6, 3}, 4));
  }
}

TEST(KernelInterpolant, HasAGradientWhereEveryLossIsZero) {
  const auto theta = torch::zeros({4}, torch::kDouble).set_requires_grad(true);
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor&) { return u.matmul(theta).pow(2); },
                          {theta});
  const auto found = evaluated(KernelInterpolant(GaussianKernel(1)), problem, {normal({5, 4}), {}});
  EXPECT_TRUE(found.gradients[0].isfinite().all().item<bool>());
}

TEST(KernelInterpolant, RefusesWhatItCannotUse) {
  const GaussianKernel kernel(1);
  const auto make = [&](const KernelInterpolantOptions& chosen) { KernelInterpolant objective(kernel, chosen); };
  expect_error([&] { make(KernelInterpolantOptions().epsilon(-1)); },
               "epsilon must be finite and not negative, got -1");
  expect_error([&] { make(KernelInterpolantOptions().jitter(-1)); }, "jitter must be finite and not negative, got -1");
  expect_error([&] { make(options(InterpolantVariant::kModel).lambda(0)); }, "needs lambda > 0");
  const auto theta = normal({4}).set_requires_grad(true);
  auto without_model = testing::linear_loss(theta);
  expect_error(
      [&] {
        evaluated(KernelInterpolant(kernel, options(InterpolantVariant::kRidge)), without_model, {normal({5, 4}), {}});
      },
      "no model whose predictions could be used");
  EXPECT_EQ(parse_interpolant_variant("ridge"), InterpolantVariant::kRidge);
  expect_error([] { parse_interpolant_variant("rigde"); }, "did you mean 'ridge'?");
}

}  // namespace arks
