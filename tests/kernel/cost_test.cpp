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
}

TEST(Cost, TakesSamplesOfAnyShape) {
  for (const auto& name : cost_names()) {
    const auto cost = make_cost(name);
    const auto u = normal({3, 24}), x = normal({3, 24}, 2);
    const auto expected = (*cost)(u, x);
    EXPECT_EQ(expected.sizes(), torch::IntArrayRef({3}));
    EXPECT_TRUE(identical((*cost)(u.view({3, 2, 12}), x.view({3, 2, 12})), expected)) << name;
    EXPECT_TRUE(identical((*cost)(u.view({3, 2, 3, 4}), x.view({3, 2, 3, 4})), expected)) << name;
    EXPECT_TRUE(identical((*cost)(u.view({72}), x.view({72})), (*cost)(u.view({72, 1}), x.view({72, 1})))) << name;
    EXPECT_EQ((*cost)(torch::empty({0, 5}), torch::empty({0, 5})).sizes(), torch::IntArrayRef({0})) << name;
  }
}

TEST(Cost, TreatsEachPairForItself) {
  const auto u = normal({6, 5}), x = normal({6, 5}, 2);
  for (const auto& name : cost_names()) {
    const auto all = (*make_cost(name))(u, x);
    for (int64_t i = 0; i < 6; ++i) {
      EXPECT_TRUE(identical((*make_cost(name))(u.narrow(0, i, 1), x.narrow(0, i, 1)), all.narrow(0, i, 1))) << name;
    }
  }
}

TEST(Cost, DerivativesMatchDifferences) {
  const auto x = normal({4, 3, 2}), u = normal({4, 3, 2}, 2);
  for (const auto& name : cost_names()) {
    const auto cost = make_cost(name);
    expect_derivative_matches([&](const torch::Tensor& at) { return (*cost)(at, x); }, u);
    // as close to the kink of the norms as central differences of width 1e-5 allow
    expect_derivative_matches([&](const torch::Tensor& at) { return (*cost)(at, x); },
                              x + torch::where(u > 0, 1.0, -1.0) * 1e-2);
  }
}

TEST(Cost, HasAZeroGradientAtRest) {
  const auto x = normal({4, 3});
  for (const auto& name : cost_names()) {
    const auto cost = make_cost(name);
    EXPECT_TRUE(identical((*cost)(x, x), torch::zeros({4}, torch::kDouble))) << name;
    EXPECT_TRUE(identical(gradient_at(*cost, x, x), torch::zeros_like(x))) << name;
  }
}

TEST(Cost, KeepsTheGradientOfTheOthersWhenOneSampleRests) {
  const auto x = normal({3, 2});
  auto u = normal({3, 2}, 2);
  u[1] = x[1];
  for (const auto& name : cost_names()) {
    const auto found = gradient_at(*make_cost(name), u, x);
    EXPECT_TRUE(identical(found[1], torch::zeros({2}, torch::kDouble))) << name;
    for (const int64_t i : {0, 2}) {
      EXPECT_TRUE(identical(found[i], gradient_at(*make_cost(name), u.narrow(0, i, 1), x.narrow(0, i, 1))[0])) << name;
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
  for (const auto& name : cost_names()) {
    const auto cost = make_cost(name);
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
  for (const auto& name : cost_names()) EXPECT_EQ(make_cost(name)->name(), name);
}

TEST(Cost, SuggestsTheNearestName) {
  expect_error([] { make_cost("l22"); }, "unknown cost 'l22' (did you mean 'l2'?)");
  expect_error([] { make_cost("half-sql2"); }, "did you mean 'half-sq-l2'?");
  expect_error([] { make_cost("sq_l2"); }, "did you mean 'sq-l2'?");
  expect_error([] { make_cost("wasserstein"); }, "unknown cost 'wasserstein'; known: half-sq-l2, sq-l2, l2, l1");
}

}  // namespace arks
