#include "support/testing.h"

#include <algorithm>
#include <cmath>

namespace arks {

using testing::expect_error;
using testing::normal;

namespace {

double kernel_of(const Kernel& kernel, const torch::Tensor& a, const torch::Tensor& b) {
  return kernel(a.unsqueeze(0), b.unsqueeze(0)).item<double>();
}

/// Means of k over pairs, written as double loops.
double plain_mmd_squared(const Kernel& kernel, const torch::Tensor& x, const torch::Tensor& z) {
  const int64_t m = x.size(0), n = z.size(0);
  double xx = 0, zz = 0, xz = 0;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < m; ++j) xx += kernel_of(kernel, x[i], x[j]);
    for (int64_t j = 0; j < n; ++j) xz += kernel_of(kernel, x[i], z[j]);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) zz += kernel_of(kernel, z[i], z[j]);
  }
  const auto dm = static_cast<double>(m), dn = static_cast<double>(n);
  return xx / (dm * dm) + zz / (dn * dn) - 2 * xz / (dm * dn);
}

double plain_median(const torch::Tensor& samples) {
  std::vector<double> distances;
  for (int64_t i = 0; i < samples.size(0); ++i) {
    for (int64_t j = i + 1; j < samples.size(0); ++j) {
      distances.push_back((samples[i] - samples[j]).norm().item<double>());
    }
  }
  std::sort(distances.begin(), distances.end());
  return distances[(distances.size() - 1) / 2];
}

/// MMD² of N(0,1) and N(μ,1) under the Gaussian kernel.
double gaussian_mmd_squared(double mu, double sigma) {
  const double widened = sigma * sigma + 2;
  return sigma / std::sqrt(widened) * (2 - 2 * std::exp(-mu * mu / (2 * widened)));
}

struct Repeated {
  double mean = 0, error = 0;  // standard error of the mean
};

Repeated repeat(int times, const std::function<double(uint64_t seed)>& estimate) {
  std::vector<double> found;
  for (int i = 0; i < times; ++i) found.push_back(estimate(static_cast<uint64_t>(100 + 2 * i)));
  const auto all = torch::tensor(found, torch::kDouble);
  return {all.mean().item<double>(), all.std().item<double>() / std::sqrt(times)};
}

}  // namespace

TEST(Mmd, EqualsThePlainDoubleLoop) {
  const auto x = normal({7, 2, 3}, 1), z = 0.5 + normal({5, 2, 3}, 2);
  for (const Kernel& kernel :
       {Kernel(GaussianKernel(1.5)), Kernel(LaplacianKernel(2.0)), Kernel(LaplacianKernel(2.0, LaplacianNorm::kL2))}) {
    const auto expected = plain_mmd_squared(kernel, x, z);
    EXPECT_NEAR(mmd_squared(kernel, x, z), expected, 1e-14) << kernel.cost()->name();
    EXPECT_NEAR(mmd(kernel, x, z), std::sqrt(expected), 1e-14) << kernel.cost()->name();
  }
}

TEST(Mmd, OfTwoSinglePointsIsKnown) {
  const auto x = torch::zeros({1, 1}, torch::kDouble), z = torch::ones({1, 1}, torch::kDouble);
  EXPECT_NEAR(mmd_squared(GaussianKernel(1), x, z), 2 - 2 * std::exp(-0.5), 1e-15);
}

TEST(Mmd, OfShiftedNormalsIsTheClosedForm) {
  for (const double sigma : {0.5, 2.0}) {
    for (const double mu : {0.5, 2.0}) {
      const int64_t n = 300;
      const auto found = repeat(40, [&](uint64_t seed) {
        return mmd_squared(GaussianKernel(sigma), normal({n, 1}, seed), mu + normal({n, 1}, seed + 1));
      });
      // a sample with itself: the bias is (1 − E k)·2/n, with E k = σ/√(σ²+2)
      const double bias = (1 - sigma / std::sqrt(sigma * sigma + 2)) * 2 / n;
      const double expected = gaussian_mmd_squared(mu, sigma) + bias;
      EXPECT_LT(std::abs(found.mean - expected), 3 * found.error) << "sigma " << sigma << ", mu " << mu;
      EXPECT_LT(found.error, 0.1 * expected);  // so that the line above says something
    }
  }
}

TEST(Mmd, OfEqualDistributionsIsItsBias) {
  const GaussianKernel kernel(1.0);
  const int64_t n = 20;
  const auto biased = repeat(200, [&](uint64_t seed) {
    return mmd_squared(kernel, normal({n, 2}, seed), normal({n, 2}, seed + 1));
  });
  // the bias is (1 − E k)·2/n, with E k = σ²/(σ²+2) in two dimensions
  EXPECT_LT(std::abs(biased.mean - 2.0 / 3 * 2 / n), 3 * biased.error);
}

TEST(Mmd, IsZeroForEqualSamplesAndSymmetric) {
  const auto x = normal({50, 3}, 1), z = normal({40, 3}, 2);
  const GaussianKernel kernel(0.7);
  EXPECT_NEAR(mmd_squared(kernel, x, x.flip(0)), 0, 1e-15);
  EXPECT_LT(mmd(kernel, x, x), 1e-7);
  EXPECT_NEAR(mmd_squared(kernel, x, z), mmd_squared(kernel, z, x), 1e-15);
}

TEST(Mmd, TendsToItsLimitsWithTheBandwidth) {
  const auto x = normal({10, 3}, 1), z = normal({20, 3}, 2);
  EXPECT_NEAR(mmd_squared(GaussianKernel(1e-6), x, z), 1.0 / 10 + 1.0 / 20, 1e-15);
  EXPECT_NEAR(mmd_squared(GaussianKernel(1e8), x, z), 0, 1e-12);
}

TEST(Mmd, IsTheSameInOneBlockAndInMany) {
  // 3000 × 3000 entries need three blocks; groups of equal points make the plain value cheap
  const auto x = normal({10, 2}, 1), z = normal({10, 2}, 2);
  const auto expected = mmd_squared(GaussianKernel(1), x, z);
  EXPECT_NEAR(mmd_squared(GaussianKernel(1), x.repeat({300, 1}), z.repeat({300, 1})), expected, 1e-12);
}

TEST(Mmd, TakesFloat32SamplesInFloat64) {
  const auto x = normal({10, 3}, 1).to(torch::kFloat), z = normal({20, 3}, 2).to(torch::kFloat);
  EXPECT_EQ(mmd_squared(GaussianKernel(1), x, z),
            mmd_squared(GaussianKernel(1), x.to(torch::kDouble), z.to(torch::kDouble)));
}

TEST(Mmd, RefusesSamplesThatCannotBeCompared) {
  const GaussianKernel kernel(1);
  const auto x = normal({4, 3}), z = normal({4, 2});
  expect_error([&] { mmd(kernel, x, z); }, "must have the same shape, got [4, 3] and [4, 2]");
  expect_error([&] { mmd(kernel, normal({0, 3}), x); }, "x must have at least 1 sample");
  expect_error([&] { mmd(kernel, x, x / 0.0); }, "z has values that are not finite");
}

TEST(MedianBandwidth, IsTheMedianOfAllDistances) {
  for (const int64_t n : {1, 2, 9, 30}) {
    const auto x = normal({n, 3}, 1), z = 2 * normal({n + 3, 3}, 2);
    EXPECT_NEAR(median_bandwidth(x, z), plain_median(torch::cat({x, z})), 1e-14) << n;
  }
}

TEST(MedianBandwidth, IsExactForManySamples) {
  // points of a line, of which all distances are known: n−d pairs have the distance d
  const int64_t n = 3000;
  const auto points = torch::randperm(n, make_generator(1, Stream::kInitialisation), torch::kDouble).unsqueeze(1);
  int64_t pairs = 0, expected = 0;
  while (pairs <= (n * (n - 1) / 2 - 1) / 2) pairs += n - ++expected;
  EXPECT_EQ(median_bandwidth(points.narrow(0, 0, 1000), points.narrow(0, 1000, n - 1000)),
            static_cast<double>(expected));
}

TEST(MedianBandwidth, FindsTheMedianBetweenFarGroups) {
  // half of the distances are tiny beside the largest and share one bin of the histogram
  const auto x = 1e-9 * normal({40, 1}, 1), z = torch::full({1, 1}, 1e3, torch::kDouble);
  EXPECT_NEAR(median_bandwidth(x, z) / plain_median(torch::cat({x, z})), 1, 1e-12);
}

TEST(MedianBandwidth, RefusesSamplesThatCoincide) {
  expect_error(
      [] {
        median_bandwidth(torch::ones({3, 2}), torch::ones({2, 2}));
      },
      "the median distance of 5 samples is zero");
}

}  // namespace arks
