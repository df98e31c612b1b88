#include "attack/samples.h"

namespace arks {

using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;
using testing::perturbed;
using testing::plane;

TEST(Fgsm, IsOneSignedStepOnALinearLoss) {
  const auto a = normal({5}, 2), x = normal({4, 5}), y = torch::zeros({4});
  auto problem = plane(a);
  EXPECT_LT(max_difference(perturbed(FgsmAttack(FgsmOptions().eps(0.2)), problem, x, y), x + 0.2 * a.sign()), 1e-15);
  const FgsmAttack l2(FgsmOptions().eps(0.2).norm(Norm::kL2));
  EXPECT_LT(max_difference(perturbed(l2, problem, x, y), x + 0.2 * a / a.norm()), 1e-15);
}

TEST(Fgsm, ClampsToTheBounds) {
  const auto a = torch::tensor({1.0, -1.0, 1.0}, torch::kDouble);
  const auto x = torch::tensor({{0.95, 0.05, 0.5}}, torch::kDouble);
  auto problem = plane(a);
  const auto expected = torch::tensor({{1.0, 0.0, 0.7}}, torch::kDouble);
  EXPECT_LT(max_difference(perturbed(FgsmAttack(FgsmOptions().eps(0.2)), problem, x, torch::zeros({1}), Bounds{0, 1}),
                           expected),
            1e-15);
}

TEST(Fgsm, OfRadiusZeroReturnsTheSample) {
  auto problem = testing::small_problem();
  const auto x = testing::unit_inputs(6, 8), y = testing::classes(6);
  for (const auto norm : {Norm::kLinf, Norm::kL2}) {
    const FgsmAttack attack(FgsmOptions().eps(0).norm(norm));
    EXPECT_TRUE(identical(perturbed(attack, problem, x, y, Bounds{0, 1}), x));
  }
}

TEST(Fgsm, TellsWhatItIs) {
  const FgsmAttack attack(FgsmOptions().eps(0.25).norm(Norm::kL2));
  EXPECT_EQ(attack.name(), "fgsm");
  EXPECT_EQ(attack.eps(), 0.25);
  EXPECT_EQ(attack.measure(), "l2");
}

TEST(Fgsm, RefusesANegativeRadius) {
  expect_error([] { FgsmAttack attack(FgsmOptions().eps(-0.1)); }, "eps must be finite and not negative, got -0.1");
}

TEST(Fgsm, StepsByTheScaleOfEveryFeature) {
  const auto a = normal({5}, 2), x = normal({4, 5}), y = torch::zeros({4});
  const auto scale = torch::tensor({1.0, 0.0, 3.0, 0.5, 1.0}, torch::kDouble);
  auto problem = plane(a);
  const auto found = perturbed(FgsmAttack(FgsmOptions().eps(0.2).eps_scale(scale)), problem, x, y);
  EXPECT_LT(max_difference(found, x + 0.2 * scale * a.sign()), 1e-15);
  EXPECT_TRUE(identical(found.select(1, 1), x.select(1, 1)));
  expect_error([&] { FgsmAttack attack(FgsmOptions().norm(Norm::kL2).eps_scale(scale)); }, "needs norm linf, not l2");
}

}  // namespace arks
