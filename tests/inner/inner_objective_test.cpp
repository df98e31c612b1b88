#include "support/testing.h"

#include <cmath>
#include <limits>

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

struct Named {
  std::string name;
  InnerObjectivePtr objective;
};

std::vector<Named> all_objectives() {
  return {{"product", std::make_shared<KernelProduct>(0.25)},
          {"product, warm", std::make_shared<KernelProduct>(40)},
          {"log", std::make_shared<LogKernelProduct>(0.25)},
          {"linear", std::make_shared<LinearPenalty>(1.5)},
          {"linear without penalty", std::make_shared<LinearPenalty>(0)},
          {"kernel distance", std::make_shared<KernelDistance>(1.5, 0.4)},
          {"loss alone", std::make_shared<LossAlone>()}};
}

const torch::Tensor kLoss = torch::tensor({0.0, 0.5, 1.0, 3.0, 20.0}, torch::kDouble);
const torch::Tensor kCost = torch::tensor({0.0, 0.1, 0.25, 0.7, 2.0}, torch::kDouble);

}  // namespace

TEST(InnerObjective, HasTheValueOfItsFormula) {
  const auto check = [](const InnerObjective& objective, const torch::Tensor& expected) {
    EXPECT_LT(max_difference(objective.value(kLoss, kCost), expected), 1e-15);
  };
  check(KernelProduct(0.25), kLoss * torch::exp(-4 * kCost));
  check(LogKernelProduct(0.25), kLoss - 4 * kCost);
  check(LinearPenalty(1.5), kLoss - 1.5 * kCost);
  check(KernelDistance(1.5, 0.4), kLoss - 1.5 * (1 - torch::exp(-2.5 * kCost)));
  check(LossAlone(), kLoss);
}

TEST(InnerObjective, HasTheLossAtZeroCost) {
  for (const auto& [name, objective] : all_objectives()) {
    EXPECT_TRUE(identical(objective->value(kLoss, torch::zeros_like(kCost)), kLoss)) << name;
  }
}

TEST(InnerObjective, LogIsTheLogarithmOfTheProduct) {
  const auto loss = kLoss + 0.1;
  const auto log = LogKernelProduct(0.3).value(loss.log(), kCost);
  EXPECT_LT(max_difference(log, KernelProduct(0.3).value(loss, kCost).log()), 1e-14);
}

TEST(InnerObjective, LogNeitherUnderNorOverflows) {
  const auto found = LogKernelProduct(1e-8).value(torch::full({1}, -500.0f), torch::full({1}, 2.0f));
  EXPECT_TRUE(found.isfinite().item<bool>());
  EXPECT_EQ(KernelProduct(1e-8).value(torch::ones({1}), torch::full({1}, 2.0f)).item<float>(), 0);
}

TEST(InnerObjective, PartialsAreThoseOfAutograd) {
  for (const auto& [name, objective] : all_objectives()) {
    auto loss = kLoss.clone().set_requires_grad(true), cost = kCost.clone().set_requires_grad(true);
    const auto expected = torch::autograd::grad({objective->value(loss, cost).sum()}, {loss, cost}, {}, torch::nullopt,
                                                false, /*allow_unused=*/true);
    const auto found = objective->partials(kLoss, kCost);
    EXPECT_LT(max_difference(found.loss, expected[0]), 1e-14) << name;
    ASSERT_EQ(found.cost.defined(), expected[1].defined()) << name;
    if (found.cost.defined()) EXPECT_LT(max_difference(found.cost, expected[1]), 1e-13) << name;
  }
}

TEST(InnerObjective, PartialsMatchDifferences) {
  constexpr double h = 1e-5;
  for (const auto& [name, objective] : all_objectives()) {
    const auto found = objective->partials(kLoss, kCost);
    const auto by_loss = (objective->value(kLoss + h, kCost) - objective->value(kLoss - h, kCost)) / (2 * h);
    const auto by_cost = (objective->value(kLoss, kCost + h) - objective->value(kLoss, kCost - h)) / (2 * h);
    // h² times the third derivative (≤ 20·4³) and rounding 1e-16·20/h
    EXPECT_LT(max_difference(found.loss, by_loss), 1e-8) << name;
    EXPECT_LT(max_difference(found.cost.defined() ? found.cost : torch::zeros_like(kCost), by_cost), 1e-6) << name;
  }
}

TEST(InnerObjective, GivesPartialsOfTheBatchInItsOwnType) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    for (const auto& [name, objective] : all_objectives()) {
      const auto loss = kLoss.to(type), cost = kCost.to(type);
      const auto found = objective->partials(loss, cost);
      EXPECT_EQ(found.loss.sizes(), loss.sizes()) << name;
      EXPECT_EQ(found.loss.scalar_type(), type) << name;
      EXPECT_EQ(objective->value(loss, cost).scalar_type(), type) << name;
      if (found.cost.defined()) {
        EXPECT_EQ(found.cost.sizes(), cost.sizes()) << name;
        EXPECT_EQ(found.cost.scalar_type(), type) << name;
      }
    }
  }
}

TEST(InnerObjective, SaysWhichLossItTakesAndWhetherItLooksAtTheCost) {
  for (const auto& [name, objective] : all_objectives()) {
    EXPECT_EQ(objective->takes_log_loss(), name == "log") << name;
    EXPECT_EQ(objective->partials(kLoss, kCost).cost.defined(), name != "loss alone") << name;
  }
}

TEST(InnerObjective, RefusesATemperatureThatIsNotPositive) {
  for (const double temperature : {0.0, -2.0, std::nan("")}) {
    expect_error([&] { KernelProduct{temperature}; }, "temperature must be positive, got ");
    expect_error([&] { KernelDistance(1, temperature); }, "temperature must be positive, got ");
    expect_error([&] { LogKernelProduct{temperature}; }, "temperature must be positive, got ");
  }
  expect_error([] { KernelProduct(-2); }, "got -2");
}

TEST(InnerObjective, RefusesAGammaThatIsNegativeOrNotFinite) {
  for (const double gamma : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    expect_error([&] { KernelDistance(gamma, 1); }, "gamma must be finite and not negative, got ");
    expect_error([&] { LinearPenalty{gamma}; }, "gamma must be finite and not negative, got ");
  }
  expect_error([] { LinearPenalty(-1); }, "got -1");
}

}  // namespace arks
