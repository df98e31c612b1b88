#include "metric/transport.h"

#include "metric/mmd_two_sample.h"
#include "support/testing.h"

#include <arks/support/random.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arks {

using testing::expect_error;
using testing::normal;

namespace {

double total(const torch::Tensor& cost, const std::vector<int64_t>& columns) {
  double sum = 0;
  for (size_t i = 0; i < columns.size(); ++i) sum += cost[static_cast<int64_t>(i)][columns[i]].item<double>();
  return sum;
}

double best_of_all(const torch::Tensor& cost) {
  std::vector<int64_t> columns(static_cast<size_t>(cost.size(0)));
  std::iota(columns.begin(), columns.end(), int64_t{0});
  double best = total(cost, columns);
  while (std::next_permutation(columns.begin(), columns.end())) best = std::min(best, total(cost, columns));
  return best;
}

}  // namespace

TEST(Assignment, IsTheBestOfAllPermutations) {
  auto generator = make_generator(1, Stream::kSamples);
  for (int64_t n = 1; n <= 7; ++n) {
    for (int trial = 0; trial < (n < 7 ? 20 : 3); ++trial) {
      auto cost = torch::empty({n, n}, torch::kDouble).normal_(0, 1, generator);
      if (trial % 2 == 1) cost = cost.round();  // with ties
      auto columns = solve_assignment(cost);
      EXPECT_NEAR(total(cost, columns), best_of_all(cost), 1e-12) << n;
      std::sort(columns.begin(), columns.end());
      for (int64_t i = 0; i < n; ++i) EXPECT_EQ(columns[static_cast<size_t>(i)], i) << "each column once";
    }
  }
}

TEST(Assignment, OfPointsOnALineKeepsTheirOrder) {
  const auto x = normal({300, 1}, 2), z = normal({300, 1}, 3) * 2 + 1;
  const double sorted = (std::get<0>(x.sort(0)) - std::get<0>(z.sort(0))).square().mean().item<double>();
  EXPECT_NEAR(assigned_costs(x, z).mean().item<double>(), sorted, 1e-9);
  EXPECT_NEAR(marginal_costs(x, z).item<double>(), sorted, 1e-9) << "the other algorithm";
}

TEST(Assignment, RefusesWhatItCannotAssign) {
  expect_error([] { solve_assignment(torch::zeros({2, 3})); }, "needs costs [n,n]");
  expect_error([] { solve_assignment(torch::full({2, 2}, NAN)); }, "not finite");
  expect_error([] { assigned_costs(torch::zeros({2, 3}), torch::zeros({3, 3})); }, "as many samples on both sides");
  expect_error([] { assigned_costs(torch::zeros({2, 3}), torch::zeros({2, 4})); }, "same shape");
}

TEST(Transport, OfSamplesOfDifferentSizeIntegratesQuantiles) {
  // quantile functions 0|3 at ½ and 0|1|2 at thirds: (0−0)²/3 + (0−1)²/6 + (3−1)²/6 + (3−2)²/3
  const auto x = torch::tensor({0.0, 3.0}).unsqueeze(1), z = torch::tensor({2.0, 0.0, 1.0}).unsqueeze(1);
  EXPECT_NEAR(marginal_costs(x, z).item<double>(), 1.0 / 6 + 4.0 / 6 + 1.0 / 3, 1e-12);
}

TEST(Transport, OfAShiftIsTheShift) {
  const auto x = normal({200, 3}, 4);
  const auto shift = torch::tensor({1.0, -2.0, 2.0});
  EXPECT_NEAR(assigned_costs(x, x + shift).mean().item<double>(), 9, 1e-6);
  EXPECT_NEAR(marginal_costs(x, x + shift).sum().item<double>(), 9, 1e-6);
  EXPECT_NEAR(assigned_costs(x, x).mean().item<double>(), 0, 1e-12);
}

/// W₂² of N(0, I) and N(μ, s²I) in d dimensions is |μ|² + d(s−1)².
TEST(Transport, OfGaussiansLiesWithinItsBounds) {
  auto generator = make_generator(5, Stream::kSamples);
  const auto x = normal({2000, 4}, 5), z = 1.5 * normal({1500, 4}, 6) + 1;
  const double expected = std::sqrt(4 + 4 * 0.25);
  const auto estimate = estimate_transport(x, z, 500, generator);
  EXPECT_EQ(estimate.assigned, 500);
  EXPECT_NEAR(estimate.lower, expected, 0.1) << "inputs are independent, so the bound is sharp";
  EXPECT_LT(estimate.lower, estimate.upper);
  EXPECT_GT(estimate.upper, expected);
  EXPECT_NEAR(estimate.length(), expected, 0.15);
  const auto none = estimate_transport(x, normal({1500, 4}, 7), 500, generator);
  EXPECT_NEAR(none.upper, none.sampling, 0.1 * none.sampling) << "all of it is sampling";
  EXPECT_LT(none.length(), 0.25);
}

/// |μ|² of the means, without bias: on average 0 where there is no shift, and never above W₂².
TEST(Transport, KnowsTheShiftOfTheMeans) {
  const auto shift = torch::tensor({3.0, 4.0});
  auto generator = make_generator(7, Stream::kSamples);
  const auto x = normal({400, 2}, 10), z = normal({300, 2}, 11) + shift;
  const double between = (x.mean(0) - z.mean(0)).square().sum().item<double>();
  const double bias = (x.var(0) / 400 + z.var(0) / 300).sum().item<double>();
  const auto estimate = estimate_transport(x, z, 100, generator);
  EXPECT_NEAR(estimate.mean_shift, std::sqrt(between - bias), 1e-9);
  EXPECT_LT(estimate.mean_shift, estimate.lower);
  EXPECT_NEAR(estimate.inputs[1].item<double>(), 4, 0.2);
}

/// The lower bound sees each input alone; the assignment also sees that they go together.
TEST(Transport, SeesMoreThanTheMarginals) {
  auto generator = make_generator(6, Stream::kSamples);
  const auto a = normal({1000, 1}, 8), b = normal({1000, 1}, 9);
  const auto x = torch::cat({a, a}, 1), z = torch::cat({b, -b}, 1);  // the same marginals, turned by a right angle
  const auto estimate = estimate_transport(x, z, 400, generator);
  EXPECT_LT(estimate.lower, 0.2);
  // W₂² of N(0, [1 1; 1 1]) and N(0, [1 −1; −1 1]): the traces, since the roots' product is zero
  EXPECT_NEAR(estimate.length(), 2, 0.2);
}

TEST(MmdTwoSample, IsTheUnbiasedEstimate) {
  const auto x = normal({7, 2}, 1), z = normal({5, 2}, 2) + 0.5;
  auto generator = make_generator(0, Stream::kSamples);
  const auto found = mmd_two_sample(x, z, 10, generator);
  EXPECT_EQ(found.bandwidth, median_bandwidth(x, z));
  const GaussianKernel kernel(found.bandwidth);
  const auto k = [&](const torch::Tensor& a, const torch::Tensor& b) {
    return kernel(a.unsqueeze(0), b.unsqueeze(0)).item<double>();
  };
  double xx = 0, zz = 0, xz = 0;
  for (int64_t i = 0; i < 7; ++i) {
    for (int64_t j = 0; j < 7; ++j) xx += i == j ? 0 : k(x[i], x[j]);
    for (int64_t j = 0; j < 5; ++j) xz += k(x[i], z[j]);
  }
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < 5; ++j) zz += i == j ? 0 : k(z[i], z[j]);
  }
  EXPECT_NEAR(found.squared, xx / 42 + zz / 20 - 2 * xz / 35, 1e-6);
}

/// (σ/√(σ²+2))·(2 − 2exp(−μ²/(2(σ²+2)))) for N(0,1) and N(μ,1).
TEST(MmdTwoSample, OfGaussiansIsTheClosedForm) {
  auto generator = make_generator(0, Stream::kSamples);
  const auto found = mmd_two_sample(normal({1500, 1}, 3), normal({1500, 1}, 4) + 1, 99, generator);
  const double width = found.bandwidth * found.bandwidth + 2;
  const double expected = found.bandwidth / std::sqrt(width) * (2 - 2 * std::exp(-1 / (2 * width)));
  EXPECT_NEAR(found.squared, expected, 0.1 * expected);
  EXPECT_DOUBLE_EQ(found.p_value, 0.01) << "no permutation is as far apart";
}

TEST(MmdTwoSample, OfEqualSamplesFindsNothing) {
  auto generator = make_generator(0, Stream::kSamples);
  const auto x = normal({50, 2}, 5);
  const auto found = mmd_two_sample(x, x, 99, generator);
  EXPECT_EQ(found.mmd(), 0) << "the unbiased estimate is negative";
  EXPECT_GT(found.p_value, 0.9);
  const auto point = mmd_two_sample(torch::ones({5, 2}), torch::ones({4, 2}), 99, generator);
  EXPECT_EQ(point.p_value, 1);
  expect_error([&] { mmd_two_sample(torch::ones({1, 2}), torch::ones({4, 2}), 99, generator); }, "at least 2 samples");
}

/// Of 60 pairs of samples without a difference about 5 % have p ≤ 0.05; 12 of them would be a chance of 1 in 20,000.
TEST(MmdTwoSample, IsRarelySmallWithoutADifference) {
  auto generator = make_generator(1, Stream::kSamples);
  int small = 0;
  for (uint64_t trial = 0; trial < 60; ++trial) {
    const auto x = normal({20, 2}, 100 + 2 * trial), z = normal({15, 2}, 101 + 2 * trial);
    small += mmd_two_sample(x, z, 99, generator).p_value <= 0.05 ? 1 : 0;
  }
  EXPECT_LT(small, 12);
}

TEST(Transport, IsNeverAtMostLessThanAtLeast) {
  TransportEstimate estimate;
  estimate.lower = 2;
  estimate.upper = 1.5;
  EXPECT_EQ(estimate.at_most(), 2);
  estimate.upper = 3;
  EXPECT_EQ(estimate.at_most(), 3);
}

}  // namespace arks
