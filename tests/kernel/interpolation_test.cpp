#include "kernel/interpolation.h"
#include "support/testing.h"

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::expect_run_error;
using testing::max_difference;
using testing::normal;

TEST(KernelInterpolation, ReproducesItsValuesAtTheSites) {
  const auto sites = normal({12, 3});
  const auto values = normal({12}, 2), columns = normal({12, 4}, 3);
  for (const Kernel& kernel :
       {Kernel(GaussianKernel(0.7)), Kernel(LaplacianKernel(1)), Kernel(InverseMultiquadricKernel(0.5))}) {
    const KernelInterpolation interpolation(kernel, sites, /*jitter=*/0);
    EXPECT_LT(max_difference(interpolation(values, sites), values), 1e-10);
    EXPECT_LT(max_difference(interpolation(columns, sites), columns), 1e-10);
  }
}

TEST(KernelInterpolation, IsADirectSolve) {
  const auto sites = normal({9, 2}), points = normal({5, 2}, 2), values = normal({9}, 3);
  const GaussianKernel kernel(0.8);
  auto matrix = torch::empty({9, 9}, torch::kDouble);
  for (int64_t i = 0; i < 9; ++i) {
    for (int64_t j = 0; j < 9; ++j) {
      matrix[i][j] = std::exp(-(sites[i] - sites[j]).pow(2).sum().item<double>() / (2 * 0.64)) + (i == j ? 1e-3 : 0);
    }
  }
  const auto weights = torch::linalg_solve(matrix, values);
  const KernelInterpolation interpolation(kernel, sites, 1e-3);
  EXPECT_LT(max_difference(interpolation.coefficients(values), weights), 1e-11);
  EXPECT_NEAR(interpolation.squared_norm(values).item<double>(), values.dot(weights).item<double>(), 1e-11);
  for (int64_t p = 0; p < 5; ++p) {
    const auto row = (-(sites - points[p]).pow(2).sum(1) / (2 * 0.64)).exp();
    EXPECT_NEAR(interpolation(values, points)[p].item<double>(), row.dot(weights).item<double>(), 1e-11);
  }
}

TEST(KernelInterpolation, CarriesTheGradientOfTheValues) {
  const KernelInterpolation interpolation(GaussianKernel(0.8), normal({6, 2}), 1e-2);
  expect_derivative_matches([&](const torch::Tensor& v) { return interpolation.squared_norm(v).view({1}); },
                            normal({6}, 2));
  expect_derivative_matches(
      [&](const torch::Tensor& v) {
        return interpolation(v, normal({3, 2}, 4));
      },
      normal({6}, 2));
}

TEST(KernelInterpolation, SmoothsWithALargeJitter) {
  const auto values = normal({6}, 2);
  const KernelInterpolation interpolation(GaussianKernel(0.8), normal({6, 2}), 1e6);
  EXPECT_LT(interpolation(values, normal({6, 2})).abs().max().item<double>(), 1e-4);
}

TEST(KernelInterpolation, RefusesWhatCannotBeSolved) {
  const auto twice = torch::ones({2, 3}, torch::kDouble);
  expect_run_error([&] { KernelInterpolation interpolation(GaussianKernel(1), twice, 0); }, "sites nearly coincide");
  expect_error([&] { KernelInterpolation interpolation(GaussianKernel(1), twice, -1); }, "jitter must be finite");
  expect_error([&] { KernelInterpolation(GaussianKernel(1), twice, 1).coefficients(normal({3})); },
               "expected values of shape [2] or [2, m], got [3]");
}

}  // namespace arks
