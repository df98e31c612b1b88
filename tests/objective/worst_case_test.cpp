#include "objective/samples.h"

#include <cmath>

namespace arks {

using testing::evaluated;
using testing::expect_error;
using testing::max_difference;
using testing::normal;
using testing::small_batch;
using testing::small_net;

TEST(WorstCase, OfALinearLossIsAtTheCorner) {
  const auto theta = normal({4}, 2).set_requires_grad(true);
  auto problem = testing::linear_loss(theta);
  const auto x = normal({5, 4}).clamp(-2, 1);
  const auto ascent = AscentOptions().rule(AscentRule::kSign).learning_rate(0.5).steps(10);
  const auto found = evaluated(WorstCase(WorstCaseOptions({-2, 1}).restarts(1), ascent), problem, {x, {}});
  const auto a = theta.detach();
  const auto corner = torch::where(a > 0, 1.0, -2.0).to(torch::kDouble);
  EXPECT_NEAR(found.value, a.dot(corner).item<double>() + 3, 1e-13);
  EXPECT_LT(max_difference(found.gradients[0], corner), 1e-14);
}

TEST(WorstCase, FindsTheHigherOfTwoHillsFromSeveralStarts) {
  // near x = −0.5 there is a low hill; the high one is at 0.7
  const auto scale = torch::ones({1}, torch::kDouble).set_requires_grad(true);
  FunctionProblem problem(
      [&](const torch::Tensor& u, const torch::Tensor&) {
        const auto v = u.squeeze(1);
        return scale * ((-(v + 0.5).pow(2) * 40).exp() + 2 * (-(v - 0.7).pow(2) * 40).exp());
      },
      {scale});
  const Batch batch{torch::full({8, 1}, -0.5, torch::kDouble), {}};
  const auto ascent = AscentOptions().rule(AscentRule::kNormalized).learning_rate(0.02).steps(60);
  EXPECT_NEAR(evaluated(WorstCase(WorstCaseOptions({-1, 1}).restarts(1), ascent), problem, batch).value, 1, 1e-2);
  EXPECT_NEAR(evaluated(WorstCase(WorstCaseOptions({-1, 1}).restarts(12), ascent), problem, batch).value, 2, 1e-2);
}

TEST(WorstCase, IsWhatArksTendsToForALargeBandwidth) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  const auto ascent = AscentOptions().rule(AscentRule::kSign).learning_rate(0.2).steps(40);
  const double worst = evaluated(WorstCase(WorstCaseOptions({-3, 3}).restarts(1), ascent), problem, batch).value;
  const auto arks = [&](double sigma) {
    return evaluated(Arks(GaussianKernel(sigma), ascent, InnerForm::kProduct, Bounds{-3, 3}), problem, batch).value;
  };
  EXPECT_EQ(arks(std::numeric_limits<double>::infinity()), worst);
  EXPECT_NEAR(arks(1e5), worst, 1e-7 * worst);
  EXPECT_LT(arks(1), worst);
}

TEST(WorstCase, SameSeedSameStarts) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const WorstCase objective(WorstCaseOptions({-3, 3}), AscentOptions().steps(3));
  EXPECT_EQ(evaluated(objective, problem, small_batch(), 5).value,
            evaluated(objective, problem, small_batch(), 5).value);
}

TEST(WorstCase, RefusesWhatItCannotUse) {
  expect_error([] { WorstCase objective(WorstCaseOptions({1, 1})); }, "need low < high");
  expect_error([] { WorstCase objective(WorstCaseOptions({0, 1}).restarts(-1)); }, "restarts must be positive, got -1");
}

TEST(Arks, NeedsADomainWhereTheKernelDoesNotDecay) {
  const double infinity = std::numeric_limits<double>::infinity();
  expect_error([&] { Arks objective{GaussianKernel(infinity)}; }, "an infinite bandwidth");
  expect_error([] { Arks objective{InverseMultiquadricKernel(1)}; }, "the inverse multiquadric kernel");
  const Arks with_domain(InverseMultiquadricKernel(1), AscentOptions(), InnerForm::kProduct, Bounds{-1, 1});
}

TEST(Arks, WithAnInverseMultiquadricOfALinearLossHasAClosedForm) {
  // facts: t* = ‖a‖C²/b along a/‖a‖, value √(b² + ‖a‖²C²)
  const auto theta = 0.5 * normal({4}, 2);
  const auto weights = theta.set_requires_grad(true);
  auto problem = testing::linear_loss(weights);
  const auto x = 0.3 * normal({5, 4});
  const auto a = theta.detach(), b = x.matmul(a) + 3;
  for (const double scale : {0.2, 1.0}) {
    const auto ascent = AscentOptions().rule(AscentRule::kSgd).momentum(0).learning_rate(scale * scale / 4).steps(600);
    const auto length = a.norm();
    const auto expected = (b * b + length * length * scale * scale).sqrt();
    const auto u = x + (length * scale * scale / b).unsqueeze(1) * a / length;
    for (const auto form : {InnerForm::kProduct, InnerForm::kLog}) {
      const Arks objective(InverseMultiquadricKernel(scale), ascent, form, Bounds{-100, 100});
      const auto found = evaluated(objective, problem, {x, {}});
      EXPECT_NEAR(found.value, expected.mean().item<double>(), 1e-12) << scale;
      const auto kernel = InverseMultiquadricKernel(scale)(u, x);
      // the value is flat at the maximum, so u is known to the root of the rounding only
      EXPECT_LT(max_difference(found.gradients[0], (u * kernel.unsqueeze(1)).mean(0)), 1e-7) << scale;
    }
  }
}

TEST(Arks, IsAMajorantWithEveryKernel) {
  SupervisedProblem problem(small_net(), CrossEntropy());
  const auto batch = small_batch();
  // with a norm for a cost nothing moves unless the slope of ln l is above 1/τ
  std::vector<Kernel> kernels{GaussianKernel(0.5), LaplacianKernel(5), LaplacianKernel(5, LaplacianNorm::kL2),
                              InverseMultiquadricKernel(0.5)};
  for (const char* cost : {"half-sq-l2", "sq-l2", "l2", "l1", "linf"}) kernels.emplace_back(make_cost(cost), 5);
  kernels.emplace_back(std::make_shared<Mahalanobis>(estimate_mahalanobis(batch.inputs, 0.1)), 0.3);
  for (const auto& kernel : kernels) {
    const Arks objective(kernel, AscentOptions().learning_rate(0.05), InnerForm::kProduct, Bounds{-5, 5});
    const auto sums = evaluated(objective, problem, batch).sums;
    EXPECT_GT(sums.surrogate, sums.loss) << kernel.cost()->name();  // and something moved
  }
}

TEST(Arks, StaysInItsDomain) {
  const auto theta = normal({4}, 2).set_requires_grad(true);
  auto problem = testing::linear_loss(theta);
  const auto x = normal({5, 4}).clamp(-0.3, 0.3);  // where the loss is positive
  const auto ascent = AscentOptions().rule(AscentRule::kSign).learning_rate(0.5).steps(10);
  const auto found = evaluated(Arks(GaussianKernel(1e6), ascent, InnerForm::kProduct, Bounds{-1, 1}), problem, {x, {}});
  EXPECT_NEAR(found.value, theta.detach().abs().sum().item<double>() + 3, 1e-9);
  expect_error(
      [&] {
        evaluated(Arks(GaussianKernel(1), ascent, InnerForm::kLog, Bounds{-1, 1}), problem, {9 * x, {}});
      },
      "outside the given range");
}

TEST(Arks, RefusesANegativeLoss) {
  const auto theta = normal({4}, 2).set_requires_grad(true);
  FunctionProblem problem([&](const torch::Tensor& u, const torch::Tensor&) { return u.matmul(theta) - 100; }, {theta});
  for (const auto form : {InnerForm::kProduct, InnerForm::kLog}) {
    expect_error(
        [&] {
          evaluated(Arks(GaussianKernel(1), AscentOptions(), form), problem, {normal({5, 4}), {}});
        },
        "arks needs a loss that is never negative: add a constant to it, or take wrm");
  }
}

TEST(Wrm, StaysInItsDomain) {
  const auto theta = normal({4}, 2).set_requires_grad(true);
  auto problem = testing::linear_loss(theta);
  const auto x = normal({5, 4}).clamp(-1, 1);
  const auto ascent = AscentOptions().rule(AscentRule::kSign).learning_rate(0.5).steps(10);
  const auto found = evaluated(Wrm(0, ascent, std::make_shared<SquaredL2>(), Bounds{-1, 1}), problem, {x, {}});
  EXPECT_NEAR(found.value, theta.detach().abs().sum().item<double>() + 3, 1e-13);
}

}  // namespace arks
