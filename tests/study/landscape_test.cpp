#include "study/landscape.h"

#include <algorithm>
#include <cmath>

#include "study/descent_ascent.h"
#include "support/testing.h"

namespace arks::study {

using testing::expect_error;

namespace {

/// Few points, so that each can be looked at.
Landscape small_landscape(std::vector<double> sigmas) {
  LandscapeSettings settings;
  settings.sigmas = std::move(sigmas);
  settings.points = 21;
  return compute_landscape(settings);
}

RobustLeastSquares population_problem() {
  auto problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  problem.set_theta(problem.population_solution(0.5));
  return problem;
}

constexpr Parabola kParabola{0.8, 0.9, 3};

}  // namespace

TEST(LossLandscape, HasTheLossOfTheProblemOverTheWholeDomain) {
  const auto landscape = small_landscape({});
  ASSERT_EQ(landscape.u.size(), 21u);
  EXPECT_EQ(landscape.u.front(), -1);
  EXPECT_EQ(landscape.u.back(), 1);
  auto problem = population_problem();
  const auto losses = problem.per_sample_loss(torch::tensor(landscape.u, torch::kDouble).unsqueeze(1), {});
  EXPECT_LT(testing::max_difference(torch::tensor(landscape.loss, torch::kDouble), losses.detach()), 1e-12);
  // E l under U[−½,½] is 1.0564: the mean of the parabola there
  double mean = 0;
  for (int i = 0; i < 1000; ++i) {
    const double u = -0.5 + (i + 0.5) / 1000;
    mean += problem.per_sample_loss(torch::full({1, 1}, u, torch::kDouble), {}).item<double>() / 1000;
  }
  EXPECT_NEAR(mean, 1.0564, 1e-4);
}

TEST(LossLandscape, HasKTransformsThatMajoriseTheLossAndGrowWithTheBandwidth) {
  const auto landscape = small_landscape({0.05, 0.2, 0.5, 1, 3});
  for (size_t i = 0; i < landscape.u.size(); ++i) {
    double below = landscape.loss[i];
    for (const auto& transform : landscape.transforms) {
      EXPECT_GE(transform[i], below);
      below = transform[i];
    }
  }
}

TEST(LossLandscape, HasTheKTransformsThatTheMaximizerFinds) {
  const std::vector<double> sigmas = {0.2, 0.5, 1, 3};
  const auto landscape = small_landscape(sigmas);
  auto problem = population_problem();
  const auto x = torch::tensor(landscape.u, torch::kDouble).unsqueeze(1);
  for (size_t i = 0; i < sigmas.size(); ++i) {
    const auto found = DescentAscent(problem, sigmas[i]).maximize(x).values;
    const auto transform = torch::tensor(landscape.transforms[i], torch::kDouble);
    EXPECT_LT(testing::max_difference(found, transform), 1e-6) << sigmas[i];
    EXPECT_LT((found - transform).max().item<double>(), 1e-12) << sigmas[i];  // an ascent finds no more than there is
  }
}

TEST(LossLandscape, HasAnInnerObjectiveThatMeetsTheLossAtTheSampleAndIsLargestAtTheMaximiser) {
  const auto landscape = compute_landscape();
  auto problem = population_problem();
  const double sigma = landscape.inner_sigma, sample = landscape.sample;
  const auto loss_at = [&](double u) {
    return problem.per_sample_loss(torch::full({1, 1}, u, torch::kDouble), {}).item<double>();
  };
  EXPECT_NEAR(landscape.sample_loss, loss_at(sample), 1e-12);
  EXPECT_NEAR(landscape.worst_loss, loss_at(landscape.worst), 1e-12);
  const double kernel = std::exp(-std::pow(landscape.worst - sample, 2) / (2 * sigma * sigma));
  EXPECT_NEAR(landscape.worst_inner, landscape.worst_loss * kernel, 1e-12);
  const auto largest = std::max_element(landscape.inner.begin(), landscape.inner.end());
  EXPECT_GE(landscape.worst_inner, *largest - 1e-6);
  EXPECT_LT(landscape.worst_inner - *largest, 1e-4);  // the grid has steps of 0.005
  EXPECT_NEAR(landscape.worst, landscape.u[static_cast<size_t>(largest - landscape.inner.begin())], 0.005);
}

TEST(LossLandscape, ShowsAMaximiserInsideOfTheDomainAndASecondMaximumBeyondTheSample) {
  const auto landscape = compute_landscape();
  EXPECT_GT(std::abs(landscape.worst - landscape.sample), 0.3);
  EXPECT_LT(std::abs(landscape.worst), 0.9);
  std::vector<double> maxima;
  for (size_t i = 1; i + 1 < landscape.u.size(); ++i) {
    const auto* const at = &landscape.inner[i];
    if (at[0] > at[-1] && at[0] > at[1]) maxima.push_back(landscape.u[i]);
  }
  ASSERT_EQ(maxima.size(), 2u);
  EXPECT_LT(maxima[0], landscape.sample);
  EXPECT_NEAR(maxima[1], landscape.worst, 0.005);
}

TEST(LossLandscape, RefusesWhatCannotBeComputed) {
  const auto expect_refused = [](const std::function<void(LandscapeSettings&)>& change, const std::string& part) {
    LandscapeSettings settings;
    change(settings);
    expect_error([&] { compute_landscape(settings); }, part);
  };
  expect_refused([](auto& s) { s.sigmas = {0}; }, "sigma must be positive and finite, got 0");
  expect_refused([](auto& s) { s.inner_sigma = INFINITY; }, "sigma must be positive and finite, got inf");
  expect_refused([](auto& s) { s.points = 1; }, "at least 2 points, got 1");
  expect_refused([](auto& s) { s.sample = 1.5; }, "the sample must be in [-1,1], got 1.5");
}

TEST(KTransform, WithASmallBandwidthIsTheLoss) {
  for (const double x : {-1.0, -0.77, -0.15, 0.0, 0.3333, 1.0}) {
    for (const double sigma : {1e-4, 1e-6, 1e-9}) {
      EXPECT_GE(k_transform(kParabola, x, sigma), kParabola(x));
      EXPECT_NEAR(k_transform(kParabola, x, sigma), kParabola(x), 1e-6);
    }
  }
}

TEST(KTransform, WithALargeBandwidthIsTheMaximumOfTheLoss) {
  for (const double x : {-1.0, 0.0, 1.0}) EXPECT_NEAR(k_transform(kParabola, x, 1e5), kParabola(1), 1e-8);
}

TEST(KTransform, OfALinearLossHasItsClosedForm) {
  // l = b + a(u−x): u* − x = (−b + √(b² + 4a²σ²))/(2a)
  constexpr double kSlope = 0.5;
  constexpr Parabola kLine{2, kSlope, 0};
  for (const double sigma : {0.003, 0.05, 0.3, 0.8}) {
    for (const double x : {-0.6, 0.0, 0.4}) {
      const double b = kLine(x), step = (-b + std::sqrt(b * b + 4 * kSlope * kSlope * sigma * sigma)) / (2 * kSlope);
      ASSERT_LE(x + step, 1);
      const double value = kLine(x + step) * std::exp(-step * step / (2 * sigma * sigma));
      EXPECT_NEAR(k_transform(kLine, x, sigma), value, 1e-14);
    }
  }
}

TEST(KTransform, RefusesAPointOutsideOfTheDomain) {
  expect_error([] { k_transform(kParabola, 1.1, 1); }, "x must be in [-1,1], got 1.1");
  expect_error([] { k_transform(kParabola, 0, -1); }, "sigma must be positive and finite, got -1");
}

}  // namespace arks::study
