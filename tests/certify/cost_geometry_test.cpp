#include "certify/cost_geometry.h"
#include "certify/kernel_cost.h"
#include "certify/toys.h"

namespace arks {

namespace {

/// All costs with something known, for samples of three numbers.
std::vector<CostPtr> known_costs() {
  return {
      std::make_shared<HalfSquaredL2>(),
      std::make_shared<SquaredL2>(),
      std::make_shared<L2>(),
      std::make_shared<L1>(),
      std::make_shared<Linf>(),
      std::make_shared<Mahalanobis>(torch::tensor({{2.0, 0.5, 0.0}, {0.5, 1.0, 0.2}, {0.0, 0.2, 0.4}}, torch::kDouble)),
      std::make_shared<LogQuadratic>(0.8),
      std::make_shared<KernelCost>(InverseMultiquadricKernel(0.8)),
      std::make_shared<KernelCost>(GaussianKernel(0.7)),
      std::make_shared<KernelCost>(LaplacianKernel(0.7)),
      std::make_shared<KernelCost>(LaplacianKernel(0.7, LaplacianNorm::kL2)),
      std::make_shared<KernelCost>(Kernel(std::make_shared<SquaredL2>(), 0.6))};
}

torch::Tensor reach_of(double value) {
  return torch::full({1}, value, torch::kDouble);
}

double gain(const CostGeometry& cost, double slope, double strength, double reach) {
  return lipschitz_gain(cost, slope, strength, reach_of(reach)).item<double>();
}

}  // namespace

TEST(CostGeometry, IsALowerBoundOfTheCost) {
  const auto x = testing::normal({4000, 3}, 1),
             u = x + 3 * testing::normal({4000, 3}, 2) * testing::normal({4000, 1}, 3);
  const auto distance = (u - x).norm(2, 1);
  for (const auto& cost : known_costs()) {
    const auto above = (*cost)(u, x) - geometry_of(*cost, 3).at_least(distance);
    EXPECT_GE(above.min().item<double>(), -1e-12) << cost->name();
  }
}

TEST(CostGeometry, ConvexityHoldsBetweenAllPairsAndTheKinks) {
  const auto x = torch::zeros({4000, 3}, torch::kDouble);
  auto from = 2 * testing::normal({4000, 3}, 4) * testing::normal({4000, 1}, 5);
  from.slice(0, 0, 50).zero_();
  from.slice(0, 50, 500).select(1, 1).zero_();
  const auto to = from + 2 * testing::normal({4000, 3}, 6) * testing::normal({4000, 1}, 7);
  for (const auto& cost : known_costs()) {
    const auto convexity = geometry_of(*cost, 3).convexity;
    if (!convexity) continue;
    auto u = from.clone().set_requires_grad(true);
    const auto here = (*cost)(u, x);
    const auto slope = torch::autograd::grad({here.sum()}, {u})[0];
    const auto step = to - from;
    const auto supported = here + (slope * step).sum(1) + *convexity / 2 * (step * step).sum(1);
    EXPECT_GE(((*cost)(to, x) - supported).min().item<double>(), -1e-12) << cost->name();
  }
}

TEST(CostGeometry, BendBoundsTheSecondDerivativeOfAProfile) {
  const auto d = torch::arange(1, 20000, torch::kDouble) / 4000;
  const double h = 1e-4;
  for (const auto& cost : known_costs()) {
    const auto geometry = geometry_of(*cost, 3);
    if (!geometry.bend) continue;
    const auto second = (geometry.profile(d + h) - 2 * geometry.profile(d) + geometry.profile(d - h)) / (h * h);
    EXPECT_LE(second.abs().max().item<double>(), *geometry.bend * (1 + 1e-4)) << cost->name();
  }
}

TEST(CostGeometry, NothingIsKnownOfAForeignCost) {
  struct Strange : Cost {
    torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override {
      return (u - x).pow(4).sum(1);
    }
    torch::Tensor pairwise(const torch::Tensor& a, const torch::Tensor& b) const override { return a.matmul(b.t()); }
    std::string name() const override { return "strange"; }
  };
  const auto geometry = geometry_of(Strange(), 3);
  EXPECT_FALSE(geometry.quadratic || geometry.linear || geometry.profile || geometry.convexity);
  EXPECT_EQ(gain(geometry, 2, 5, HUGE_VAL), HUGE_VAL);
  EXPECT_EQ(gain(geometry, 2, 5, 3), 6) << "a cost is never negative";
}

TEST(LipschitzGain, HasItsClosedForms) {
  const auto half = geometry_of(HalfSquaredL2(), 3), square = geometry_of(SquaredL2(), 3), l2 = geometry_of(L2(), 3);
  EXPECT_DOUBLE_EQ(gain(half, 3, 2, HUGE_VAL), 9.0 / 4);
  EXPECT_DOUBLE_EQ(gain(square, 3, 2, HUGE_VAL), 9.0 / 8);
  EXPECT_DOUBLE_EQ(gain(half, 3, 2, 1), 3 - 1.0);
  EXPECT_DOUBLE_EQ(gain(half, 3, 0, 5), 15);
  EXPECT_DOUBLE_EQ(gain(half, 0, 0, HUGE_VAL), 0);
  EXPECT_EQ(gain(half, 3, 0, HUGE_VAL), HUGE_VAL);
  EXPECT_EQ(gain(l2, 3, 3, HUGE_VAL), 0);
  EXPECT_EQ(gain(l2, 3, 2.9, HUGE_VAL), HUGE_VAL);
  EXPECT_DOUBLE_EQ(gain(l2, 3, 2, 4), 4);
}

TEST(LipschitzGain, OfAProfileLiesJustAboveTheMaximumOnAFineGrid) {
  const auto d = torch::arange(0, 200001, torch::kDouble) / 50000;  // up to 4
  for (const auto& cost : known_costs()) {
    const auto geometry = geometry_of(*cost, 3);
    if (!geometry.profile) continue;
    for (const double strength : {0.0, 0.5, 3.0, 40.0}) {
      for (const double reach : {4.0, 2.5, 0.01}) {
        const auto inside = d.masked_select(d <= reach);
        const double slope = 1.3;
        const double expected = (slope * inside - strength * geometry.profile(inside)).max().item<double>();
        const double found =
            lipschitz_gain(geometry, slope, strength, torch::tensor({reach, 4.0}, torch::kDouble))[0].item<double>();
        EXPECT_GE(found, expected - 1e-12) << cost->name() << " strength " << strength << " reach " << reach;
        EXPECT_LE(found, expected + 1e-3) << cost->name() << " strength " << strength << " reach " << reach;
      }
    }
    EXPECT_EQ(gain(geometry, 1, 1, HUGE_VAL), HUGE_VAL);
  }
}

TEST(LipschitzGain, RefusesNegativeArguments) {
  testing::expect_error([] { gain({}, -1, 1, 1); }, "must not be negative, got -1 and 1");
}

TEST(KernelCost, IsOneMinusTheKernelDownToTheSmallestMoves) {
  const KernelCost cost(GaussianKernel(0.5));
  const auto x = torch::zeros({3, 2}, torch::kDouble);
  const auto u = torch::tensor({{0.0, 0.0}, {1e-9, 0.0}, {0.3, -0.4}}, torch::kDouble);
  const auto found = cost(u, x);
  EXPECT_EQ(found[0].item<double>(), 0);
  EXPECT_NEAR(found[1].item<double>() / 2e-18, 1, 1e-9);
  EXPECT_NEAR(found[2].item<double>(), 1 - std::exp(-0.25 / 0.5), 1e-15);
  EXPECT_EQ(cost.name(), "1-exp(-half-sq-l2/0.25)");
  testing::expect_derivative_matches([&](const auto& at) { return cost(at, x); }, testing::normal({3, 2}));
  const auto all = cost.pairwise(u, testing::normal({3, 2}));
  EXPECT_LT(testing::max_difference(all.diagonal(), cost(u, testing::normal({3, 2}))), 1e-12);
}

TEST(KernelCost, RefusesAnInfiniteBandwidth) {
  testing::expect_error([] { KernelCost cost{GaussianKernel(std::numeric_limits<double>::infinity())}; },
                        "the bandwidth must be finite");
}

}  // namespace arks
