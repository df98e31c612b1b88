#include "attack/samples.h"

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;
using testing::perturbed;

TEST(KernelAttack, ReachesTheClosedFormOnALinearLoss) {
  const auto a = normal({5}, 2), y = torch::zeros({4});
  // l(u) = a·u + 20 > 0 near the samples
  FunctionProblem problem([a](const torch::Tensor& u, const torch::Tensor&) { return u.matmul(a) + 20; });
  const auto x = normal({4, 5});
  const auto b = x.matmul(a) + 20;
  const auto length = a.norm();
  for (const double sigma : {0.1, 1.0, 3.0}) {
    const auto step = (-b + (b * b + 4 * length * length * sigma * sigma).sqrt()) / (2 * length);
    const auto expected = x + step.unsqueeze(1) * (a / length);
    const KernelAttack attack(sigma,
                              AscentOptions().rule(AscentRule::kLbfgs).steps(50).learning_rate(1).tolerance(1e-12));
    // a maximum is flat: where it lies is known to the root of the rounding only
    EXPECT_LT(max_difference(perturbed(attack, problem, x, y), expected), 1e-7) << sigma;
  }
}

TEST(KernelAttack, MovesFartherWithTheBandwidthAndNowhereAtZero) {
  auto problem = testing::small_problem();
  const auto x = testing::unit_inputs(6, 8), y = testing::classes(6);
  EXPECT_TRUE(identical(perturbed(KernelAttack(0), problem, x, y), x));
  const auto distance = [&](double sigma) {
    const KernelAttack attack(sigma, AscentOptions().steps(200).learning_rate(0.01));
    return (perturbed(attack, problem, x, y) - x).norm().item<double>();
  };
  EXPECT_GT(distance(0.1), 0);
  EXPECT_GT(distance(0.3), distance(0.1));
}

TEST(KernelAttack, StaysWithinTheBoundsAndRaisesTheLoss) {
  auto problem = testing::small_problem();
  const auto x = testing::unit_inputs(6, 8), y = testing::classes(6);
  const auto found = perturbed(KernelAttack(0.5, AscentOptions().learning_rate(0.05)), problem, x, y, Bounds{0, 1});
  EXPECT_GE(found.min().item<double>(), 0);
  EXPECT_LE(found.max().item<double>(), 1);
  EXPECT_GT(problem.per_sample_loss(found, y).mean().item<double>(),
            problem.per_sample_loss(x, y).mean().item<double>());
}

TEST(KernelAttack, TellsWhatItIsAndRefusesABandwidthThatIsNone) {
  EXPECT_EQ(KernelAttack(0.2).name(), "arks");
  EXPECT_EQ(KernelAttack(0.2).measure(), "sigma");
  EXPECT_EQ(KernelAttack(0.2).eps(), 0.2);
  EXPECT_FALSE(KernelAttack(0.2).is_shift());
  expect_error([] { KernelAttack attack(-1); }, "the bandwidth, must be finite and not negative, got -1");
  auto negative = testing::plane(torch::full({8}, -1.0, torch::kDouble));
  expect_error([&] { perturbed(KernelAttack(0.5), negative, testing::unit_inputs(6, 8), testing::classes(6)); },
               "which has no logarithm; arks needs a loss that is never negative");
}

}  // namespace arks
