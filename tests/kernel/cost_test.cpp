#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

torch::Tensor gradient_at(const Cost& cost, const torch::Tensor& at, const torch::Tensor& x) {
  auto u = at.detach().clone().set_requires_grad(true);
  return torch::autograd::grad({cost(u, x).sum()}, {u})[0];
}

/// One of every kind, for samples of d numbers.
std::vector<CostPtr> every_cost(int64_t d) {
  std::vector<CostPtr> costs;
  for (const auto& name : cost_names()) {
    if (name != "mahalanobis") costs.push_back(make_cost(name));
  }
  costs.push_back(std::make_shared<LogQuadratic>(0.7));
  const auto a = normal({d, d}, 8);
  costs.push_back(std::make_shared<Mahalanobis>(a.matmul(a.t()) + torch::eye(d, torch::kDouble)));
  return costs;
}

}  // namespace

TEST(Cost, HasTheValuesOfItsFormula) {
  const auto x = torch::tensor({{1.0, 1.0}, {0.0, 0.0}, {2.0, -1.0}}, torch::kDouble);
  const auto u = torch::tensor({{4.0, -3.0}, {0.0, 0.0}, {2.0, -0.5}}, torch::kDouble);  // u − x = (3,−4), 0, (0,½)
  const auto check = [&](const char* name, std::vector<double> expected) {
    EXPECT_TRUE(identical((*make_cost(name))(u, x), torch::tensor(expected, torch::kDouble))) << name;
  };
  check("half-sq-l2", {12.5, 0, 0.125});
  check("sq-l2", {25, 0, 0.25});
  check("l2", {5, 0, 0.5});
  check("l1", {7, 0, 0.5});
  check("linf", {4, 0, 0.5});
  EXPECT_LT(max_difference(LogQuadratic(2)(u, x), torch::tensor({7.25, 1.0, 1.0625}, torch::kDouble).log() / 2), 1e-15);
  const auto matrix = torch::tensor({{2.0, 1.0}, {1.0, 3.0}}, torch::kDouble);
  EXPECT_LT(max_difference(Mahalanobis(matrix)(u, x), torch::tensor({21.0, 0.0, 0.375}, torch::kDouble)), 1e-14);
}

TEST(Cost, TakesSamplesOfAnyShape) {
  for (const auto& cost : every_cost(24)) {
    const auto name = cost->name();
    const auto u = normal({3, 24}), x = normal({3, 24}, 2);
    const auto expected = (*cost)(u, x);
    EXPECT_EQ(expected.sizes(), torch::IntArrayRef({3}));
    EXPECT_TRUE(identical((*cost)(u.view({3, 2, 12}), x.view({3, 2, 12})), expected)) << name;
    EXPECT_TRUE(identical((*cost)(u.view({3, 2, 3, 4}), x.view({3, 2, 3, 4})), expected)) << name;
    EXPECT_EQ((*cost)(torch::empty({0, 24}), torch::empty({0, 24})).sizes(), torch::IntArrayRef({0})) << name;
  }
  for (const auto& cost : every_cost(1)) {
    const auto u = normal({72}), x = normal({72}, 2);
    EXPECT_TRUE(identical((*cost)(u, x), (*cost)(u.view({72, 1}), x.view({72, 1})))) << cost->name();
  }
}

TEST(Cost, TreatsEachPairForItself) {
  const auto u = normal({6, 5}), x = normal({6, 5}, 2);
  for (const auto& cost : every_cost(5)) {
    const auto all = (*cost)(u, x);
    for (int64_t i = 0; i < 6; ++i) {
      // a matrix product of one row may add in another order
      const double rounding = cost->name() == "mahalanobis" ? 1e-14 : 0;
      EXPECT_LE(max_difference((*cost)(u.narrow(0, i, 1), x.narrow(0, i, 1)), all.narrow(0, i, 1)), rounding)
          << cost->name();
    }
  }
}

TEST(Cost, DerivativesMatchDifferences) {
  const auto x = normal({4, 3, 2}), u = normal({4, 3, 2}, 2);
  for (const auto& cost : every_cost(6)) {
    expect_derivative_matches([&](const torch::Tensor& at) { return (*cost)(at, x); }, u);
    // as close to the kink of the norms as central differences of width 1e-5 allow; no two coordinates equally far,
    // since the largest one has a kink there
    const auto apart = torch::linspace(1, 1.5, 24, torch::kDouble).view({4, 3, 2});
    expect_derivative_matches([&](const torch::Tensor& at) { return (*cost)(at, x); },
                              x + torch::where(u > 0, 1.0, -1.0) * 1e-2 * apart);
  }
}

TEST(Cost, HasAZeroGradientAtRest) {
  const auto x = normal({4, 3});
  for (const auto& cost : every_cost(3)) {
    const auto name = cost->name();
    EXPECT_TRUE(identical((*cost)(x, x), torch::zeros({4}, torch::kDouble))) << name;
    EXPECT_TRUE(identical(gradient_at(*cost, x, x), torch::zeros_like(x))) << name;
  }
}

TEST(Cost, KeepsTheGradientOfTheOthersWhenOneSampleRests) {
  const auto x = normal({3, 2});
  auto u = normal({3, 2}, 2);
  u[1] = x[1];
  for (const auto& cost : every_cost(2)) {
    const auto found = gradient_at(*cost, u, x);
    EXPECT_TRUE(identical(found[1], torch::zeros({2}, torch::kDouble))) << cost->name();
    for (const int64_t i : {0, 2}) {
      EXPECT_LT(max_difference(found[i], gradient_at(*cost, u.narrow(0, i, 1), x.narrow(0, i, 1))[0]), 1e-14)
          << cost->name();
    }
  }
}

TEST(Cost, HasAUnitGradientHoweverCloseToRest) {
  for (const double distance : {1.0, 1e-8, 1e-100, 1e-150}) {
    const auto u = torch::tensor({{0.6 * distance, -0.8 * distance}}, torch::kDouble);
    const auto found = gradient_at(L2(), u, torch::zeros_like(u));
    EXPECT_LT(max_difference(found, torch::tensor({{0.6, -0.8}}, torch::kDouble)), 1e-12) << distance;
  }
}

TEST(Cost, LeavesACoordinateAtRestAlone) {
  const auto x = torch::zeros({1, 3}, torch::kDouble);
  const auto u = torch::tensor({{0.0, 2.0, -2.0}}, torch::kDouble);
  EXPECT_TRUE(identical(gradient_at(L1(), u, x), torch::tensor({{0.0, 1.0, -1.0}}, torch::kDouble)));
}

TEST(Cost, RefusesDifferentShapes) {
  for (const auto& cost : every_cost(2)) {
    expect_error(
        [&] {
          (*cost)(normal({3, 2}), normal({3, 4}));
        },
        "must have the same shape [n,...], got [3, 2] and [3, 4]");
    expect_error([&] { (*cost)(normal({3, 2}), normal({1, 2})); }, "got [3, 2] and [1, 2]");  // no broadcasting
    expect_error([&] { (*cost)(torch::ones({}), torch::ones({})); }, "must have the same shape [n,...]");
  }
}

TEST(Cost, IsMadeByItsName) {
  for (const auto& name : cost_names()) {
    if (name != "mahalanobis") EXPECT_EQ(make_cost(name)->name(), name);
  }
  expect_error([] { make_cost("mahalanobis"); }, "is made from a matrix");
}

TEST(Cost, SuggestsTheNearestName) {
  expect_error([] { make_cost("l22"); }, "unknown cost 'l22' (did you mean 'l2'?)");
  expect_error([] { make_cost("half-sql2"); }, "did you mean 'half-sq-l2'?");
  expect_error([] { make_cost("sq_l2"); }, "did you mean 'sq-l2'?");
  expect_error([] { make_cost("wasserstein"); }, "unknown cost 'wasserstein'; known: half-sq-l2, sq-l2, l2, l1, linf");
}

TEST(Cost, OfAllPairsIsThatOfEachPair) {
  const auto a = normal({5, 2, 3}), b = normal({4, 2, 3}, 2);
  for (const auto& cost : every_cost(6)) {
    const auto all = cost->pairwise(a, b);
    ASSERT_EQ(all.sizes(), torch::IntArrayRef({5, 4})) << cost->name();
    for (int64_t j = 0; j < 4; ++j) {
      const auto column = (*cost)(a, b.narrow(0, j, 1).expand_as(a).contiguous());
      EXPECT_LT(max_difference(all.select(1, j), column), 1e-13) << cost->name();
    }
    expect_error([&] { cost->pairwise(a, normal({4, 7})); }, "");
  }
  // a distance that ‖a‖² + ‖b‖² − 2a·b would lose: 1 in 1e16
  const auto far = torch::full({30, 2}, 1e8, torch::kDouble), near = far + 1;
  EXPECT_LT(max_difference(SquaredL2().pairwise(far, near), torch::full({30, 30}, 2.0, torch::kDouble)), 1e-12);
}

TEST(Cost, OnlyTheLogarithmNeedsADomain) {
  for (const auto& cost : every_cost(2)) EXPECT_EQ(cost->needs_domain(), cost->name() == "log-quadratic");
  expect_error([] { LogQuadratic(0); }, "the scale must be positive and finite, got 0");
}

TEST(Mahalanobis, WithTheIdentityIsHalfTheSquare) {
  const auto u = normal({4, 3}), x = normal({4, 3}, 2);
  EXPECT_LT(max_difference(Mahalanobis(torch::eye(3))(u, x), HalfSquaredL2()(u, x)), 1e-14);
  EXPECT_NEAR(Mahalanobis(4 * torch::eye(3)).smallest_eigenvalue(), 4, 1e-14);
}

TEST(Mahalanobis, WorksInTheTypeOfTheSamples) {
  const auto u = normal({4, 3}).to(torch::kFloat);
  const auto found = Mahalanobis(torch::eye(3, torch::kDouble))(u, torch::zeros_like(u));
  EXPECT_EQ(found.scalar_type(), torch::kFloat);
}

TEST(Mahalanobis, RefusesWhatIsNoInnerProduct) {
  const auto matrix = [](std::vector<double> entries) { return torch::tensor(entries, torch::kDouble).view({2, 2}); };
  expect_error([&] { Mahalanobis cost(matrix({1, 2, 2, 1})); }, "not positive definite; its smallest eigenvalue is -1");
  expect_error([&] { Mahalanobis cost(matrix({1, 0, 0, 0})); }, "not positive definite");
  expect_error(
      [&] {
        Mahalanobis cost(matrix({1, 0.5, 0, 1}));
      },
      "not symmetric; entries differ from their mirror by 0.5");
  expect_error([&] { Mahalanobis cost(matrix({1, std::nan(""), 0, 1})); }, "not finite");
  expect_error([] { Mahalanobis cost(torch::ones({2, 3})); }, "must be square, got [2, 3]");
  expect_error(
      [&] {
        Mahalanobis(matrix({1, 0, 0, 1}))(normal({3, 5}), normal({3, 5}));
      },
      "the matrix is for 2 numbers per sample, got 5");
}

TEST(Mahalanobis, IsEstimatedAsTheInverseOfTheRegularisedCovariance) {
  // two points (±1, 0) and (0, ±2): variances ½ and 2, no covariance, mean variance 5/4
  const auto samples = torch::tensor({{1.0, 0.0}, {-1.0, 0.0}, {0.0, 2.0}, {0.0, -2.0}}, torch::kDouble);
  const auto found = estimate_mahalanobis(samples, 0.4);
  const auto expected = torch::diag(torch::tensor({1 / (0.5 + 0.5), 1 / (2 + 0.5)}, torch::kDouble));
  EXPECT_LT(max_difference(found, expected), 1e-14);
  EXPECT_LT(max_difference(estimate_mahalanobis(samples.view({4, 2, 1}), 0.4), expected), 1e-14);
  // more numbers than samples: the ridge makes it positive definite
  EXPECT_GT(Mahalanobis(estimate_mahalanobis(normal({3, 9}), 1e-3)).smallest_eigenvalue(), 0);
  expect_error([&] { estimate_mahalanobis(samples, 0); }, "the ridge must be positive and finite, got 0");
  expect_error([&] { estimate_mahalanobis(samples.narrow(0, 0, 1), 1); }, "at least two samples are needed, got 1");
  expect_error([&] { estimate_mahalanobis(torch::ones({5, 2}), 1); }, "all samples are the same");
}

}  // namespace arks
