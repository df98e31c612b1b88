#include "objective/samples.h"

namespace arks {

using testing::evaluated;
using testing::expect_derivative_matches;
using testing::max_difference;
using testing::normal;
using testing::small_batch;

TEST(Erm, IsTheMeanLoss) {
  SupervisedProblem problem(testing::small_net(), CrossEntropy());
  const auto batch = small_batch();
  const auto found = evaluated(Erm(), problem, batch);
  const auto direct = problem.evaluate(batch.inputs, batch.targets);
  EXPECT_EQ(found.value, direct.loss.mean().item<double>());
  EXPECT_EQ(found.sums.samples, 7);
  EXPECT_NEAR(found.sums.loss, direct.loss.sum().item<double>(), 1e-14);
  EXPECT_EQ(found.sums.surrogate, found.sums.loss);
  EXPECT_EQ(found.sums.wrong, direct.wrong.sum().item<double>());
  EXPECT_FALSE(found.sums.adversarial_loss || found.sums.kernel || found.sums.cost);
}

TEST(Erm, GradientOfALinearLossIsTheMeanInput) {
  const auto theta = normal({4}, 2).set_requires_grad(true);
  auto problem = testing::linear_loss(theta);
  const auto x = normal({5, 4});
  const auto found = evaluated(Erm(), problem, {x, torch::zeros({5})});
  EXPECT_LT(max_difference(found.gradients[0], x.mean(0)), 1e-15);
  EXPECT_FALSE(found.sums.wrong) << "a linear loss knows no right and wrong";
}

TEST(Erm, GradientMatchesDifferences) {
  const auto batch = small_batch();
  const auto labels = batch.targets;
  expect_derivative_matches(
      [&](const torch::Tensor& weights) {
        FunctionProblem problem(
            [&](const torch::Tensor& u, const torch::Tensor& y) { return CrossEntropy()(u.matmul(weights).tanh(), y); },
            {weights});
        auto generator = make_generator(0, Stream::kObjective);
        return (*Erm().bind(problem))(batch, generator).value;
      },
      normal({6, 3}, 4));
}

TEST(Erm, IsCalledErm) {
  EXPECT_EQ(Erm().name(), "erm");
}

}  // namespace arks
