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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Kernel> kernels(double sigma) {
  return {GaussianKernel(sigma), LaplacianKernel(sigma), LaplacianKernel(sigma, LaplacianNorm::kL2),
          Kernel(make_cost("sq-l2"), sigma)};
}

}  // namespace

TEST(Kernel, IsOneAtItsCentre) {
  const auto x = normal({4, 3, 2});
  for (const double sigma : {1e-4, 0.3, 1e4}) {
    for (const auto& kernel : kernels(sigma)) {
      EXPECT_TRUE(identical(kernel(x, x), torch::ones({4}, torch::kDouble))) << kernel.cost()->name();
    }
  }
}

TEST(Kernel, IsTheExponentialOfItsCostOverItsTemperature) {
  const auto u = normal({4, 3}), x = normal({4, 3}, 2);
  for (const auto& kernel : kernels(0.7)) {
    const auto expected = torch::exp(-(*kernel.cost())(u, x) / kernel.temperature());
    EXPECT_LT(max_difference(kernel(u, x), expected), 1e-15) << kernel.cost()->name();
  }
}

TEST(Kernel, OfGaussDividesByTwiceTheSquaredBandwidth) {
  const GaussianKernel kernel(0.5);
  EXPECT_EQ(kernel.temperature(), 0.25);
  EXPECT_EQ(kernel.cost()->name(), "half-sq-l2");
  const auto x = torch::zeros({1, 2}, torch::kDouble);
  const auto u = torch::tensor({{0.3, -0.4}}, torch::kDouble);
  EXPECT_NEAR(kernel(u, x).item<double>(), 0.60653065971263342, 1e-15);  // exp(−0.25/(2·0.25)) = e^−½
}

TEST(Kernel, OfLaplaceDividesTheNormByTheBandwidth) {
  const auto x = torch::zeros({1, 2}, torch::kDouble);
  const auto u = torch::tensor({{0.3, -0.4}}, torch::kDouble);
  const LaplacianKernel one(0.5), two(0.5, LaplacianNorm::kL2);
  EXPECT_EQ(one.temperature(), 0.5);
  EXPECT_EQ(two.temperature(), 0.5);
  EXPECT_EQ(one.cost()->name(), "l1");
  EXPECT_EQ(two.cost()->name(), "l2");
  EXPECT_NEAR(one(u, x).item<double>(), 0.24659696394160649, 1e-15);  // exp(−0.7/0.5)
  EXPECT_NEAR(two(u, x).item<double>(), 0.36787944117144233, 1e-15);  // exp(−0.5/0.5)
}

TEST(Kernel, DerivativesMatchDifferences) {
  const auto u = normal({4, 3}), x = normal({4, 3}, 2);
  for (const auto& kernel : kernels(0.9)) {
    expect_derivative_matches([&](const torch::Tensor& at) { return kernel(at, x); }, u);
  }
}

TEST(Kernel, HasAZeroGradientAtItsCentre) {
  const auto x = normal({4, 3});
  for (const auto& kernel : kernels(0.9)) {
    auto u = x.clone().set_requires_grad(true);
    const auto found = torch::autograd::grad({kernel(u, x).sum()}, {u})[0];
    EXPECT_EQ(max_difference(found, torch::zeros_like(x)), 0) << kernel.cost()->name();
  }
}

TEST(Kernel, TendsToOneForALargeBandwidth) {
  const auto u = normal({4, 3}), x = normal({4, 3}, 2);
  for (const auto& kernel : kernels(1e20)) {
    EXPECT_TRUE(identical(kernel(u, x), torch::ones({4}, torch::kDouble))) << kernel.cost()->name();
  }
}

TEST(Kernel, TendsToZeroOffItsCentreForASmallBandwidth) {
  const auto u = normal({4, 3}), x = normal({4, 3}, 2);
  for (const auto& kernel : kernels(1e-4)) {
    EXPECT_TRUE(identical(kernel(u, x), torch::zeros({4}, torch::kDouble))) << kernel.cost()->name();
  }
}

TEST(Kernel, RefusesABandwidthThatIsNotPositive) {
  expect_error([] { GaussianKernel(0); }, "sigma must be positive, got 0");
  expect_error([] { GaussianKernel(-0.5); }, "sigma must be positive, got -0.5");
  expect_error([] { GaussianKernel{std::nan("")}; }, "sigma must be positive, got nan");
  expect_error([] { LaplacianKernel(0); }, "sigma must be positive, got 0");
  expect_error([] { LaplacianKernel(-1, LaplacianNorm::kL2); }, "sigma must be positive, got -1");
}

TEST(Kernel, RefusesABandwidthWhoseSquareIsNoNumber) {
  for (const double sigma : {1e-200, 1e-20, 1e200}) {
    expect_error([&] { GaussianKernel{sigma}; }, "sigma of a Gaussian must be between 1.1e-19 and 1.3e154");
  }
  expect_error([] { LaplacianKernel{1e-40}; }, "temperature must be at least 1.2e-38");
}

TEST(Kernel, RefusesATemperatureThatIsNotPositive) {
  for (const double temperature : {0.0, -1.0, std::nan("")}) {
    expect_error([&] { Kernel(make_cost("l2"), temperature); }, "temperature must be positive, got");
  }
}

TEST(Kernel, IsOneEverywhereForAnInfiniteBandwidth) {
  const auto u = normal({4, 3}), x = normal({4, 3}, 2);
  for (const Kernel& kernel : {Kernel(GaussianKernel(kInfinity)), Kernel(LaplacianKernel(kInfinity))}) {
    EXPECT_TRUE(identical(kernel(u, x), torch::ones({4}, torch::kDouble)));
    EXPECT_TRUE(kernel.needs_domain());
  }
  EXPECT_FALSE(GaussianKernel(1e100).needs_domain());
}

TEST(Kernel, InverseMultiquadricHasItsFormula) {
  const auto u = normal({4, 3}), x = normal({4, 3}, 2);
  for (const double scale : {0.3, 1.0, 5.0}) {
    const auto expected = (1 + (u - x).pow(2).sum(1) / (scale * scale)).rsqrt();
    EXPECT_LT(max_difference(InverseMultiquadricKernel(scale)(u, x), expected), 1e-15);
  }
  EXPECT_TRUE(InverseMultiquadricKernel(1).needs_domain());
  EXPECT_LT(max_difference(InverseMultiquadricKernel(1e9)(u, x), torch::ones({4}, torch::kDouble)), 1e-15);
  expect_error([] { InverseMultiquadricKernel(-2); }, "the scale must be positive and finite, got -2");
}

TEST(Kernel, MatrixHasTheKernelOfEveryPair) {
  const auto a = normal({5, 3}), b = normal({4, 3}, 2);
  for (const auto& kernel : kernels(0.8)) {
    const auto all = kernel.matrix(a, b);
    for (int64_t j = 0; j < 4; ++j) {
      const auto column = kernel(a, b.narrow(0, j, 1).expand_as(a).contiguous());
      EXPECT_LT(max_difference(all.select(1, j), column), 1e-14) << kernel.cost()->name();
    }
  }
}

TEST(Kernel, RefusesToBeWithoutACost) {
  expect_error([] { Kernel(nullptr, 1.0); }, "no cost given");
}

TEST(Kernel, RefusesDifferentShapes) {
  expect_error([] { GaussianKernel(1.0)(normal({3, 2}), normal({3, 4})); }, "got [3, 2] and [3, 4]");
}

}  // namespace arks
