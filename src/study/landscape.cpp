#include "study/landscape.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

#include "study/descent_ascent.h"
#include "support/one_thread.h"

namespace arks::study {

namespace {

constexpr double kTrainingHalfWidth = 0.5;

std::vector<double> grid(int64_t points) {
  std::vector<double> u;
  for (int64_t i = 0; i < points; ++i) u.push_back(-1 + 2 * static_cast<double>(i) / static_cast<double>(points - 1));
  return u;
}

void check_sigma(double sigma) {
  ARKS_CHECK(std::isfinite(sigma) && sigma > 0, "landscape: sigma must be positive and finite, got ", sigma);
}

void check(const LandscapeSettings& settings) {
  for (const double sigma : settings.sigmas) check_sigma(sigma);
  check_sigma(settings.inner_sigma);
  ARKS_CHECK(settings.points >= 2, "landscape: the grid needs at least 2 points, got ", settings.points);
  ARKS_CHECK(std::abs(settings.sample) <= 1, "landscape: the sample must be in [-1,1], got ", settings.sample);
}

/// l(u) at the present θ, from three of its values.
Parabola parabola_of(RobustLeastSquares& problem) {
  torch::NoGradGuard no_grad;
  const auto losses = problem.per_sample_loss(torch::tensor({{-1.}, {0.}, {1.}}, torch::kDouble), {});
  const double low = losses[0].item<double>(), middle = losses[1].item<double>(), high = losses[2].item<double>();
  return {middle, (high - low) / 2, (high + low) / 2 - middle};
}

double gaussian(double u, double x, double sigma) {
  return std::exp(-(u - x) * (u - x) / (2 * sigma * sigma));
}

/// The maximiser of f in [low, high], where it has one maximum.
template <typename Function>
double golden_section(const Function& f, double low, double high) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double left = high - ratio * (high - low), right = low + ratio * (high - low);
  double at_left = f(left), at_right = f(right);
  for (int step = 0; step < 60; ++step) {
    if (at_left < at_right) {
      low = left;
      left = right;
      at_left = at_right;
      at_right = f(right = low + ratio * (high - low));
    } else {
      high = right;
      right = left;
      at_right = at_left;
      at_left = f(left = high - ratio * (high - low));
    }
  }
  return (low + high) / 2;
}

void add_inner_maximum(RobustLeastSquares& problem, Landscape& landscape) {
  DescentAscent arks(problem, landscape.inner_sigma);
  const auto found = arks.maximize(torch::full({1, 1}, landscape.sample, torch::kDouble));
  landscape.worst = found.u.item<double>();
  landscape.worst_loss = found.losses.item<double>();
  landscape.worst_inner = found.values.item<double>();
}

}  // namespace

double k_transform(const Parabola& loss, double x, double sigma) {
  check_sigma(sigma);
  ARKS_CHECK(std::abs(x) <= 1, "landscape: x must be in [-1,1], got ", x);
  // the logarithm, which does not underflow where σ is small
  const auto log_inner = [&](double u) { return std::log(loss(u)) - (u - x) * (u - x) / (2 * sigma * sigma); };
  constexpr int64_t kPoints = 1001;
  constexpr double kStep = 2.0 / (kPoints - 1);
  double best = x, best_value = log_inner(x);
  const auto consider = [&](double u) {
    const double value = log_inner(u);
    if (value > best_value) best = u, best_value = value;
  };
  for (const double u : grid(kPoints)) consider(u);
  // narrow steps where σ is: else a peak beside x could be passed over
  const double reach = std::min(kStep, 4 * sigma);
  consider(golden_section(log_inner, std::max(-1.0, best - reach), std::min(1.0, best + reach)));
  return loss(best) * gaussian(best, x, sigma);
}

Landscape compute_landscape(const LandscapeSettings& settings) {
  check(settings);
  const OneThread one_thread;
  auto problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  problem.set_theta(problem.population_solution(kTrainingHalfWidth));
  const auto loss = parabola_of(problem);

  Landscape landscape;
  landscape.u = grid(settings.points);
  landscape.sigmas = settings.sigmas;
  landscape.inner_sigma = settings.inner_sigma;
  landscape.sample = settings.sample;
  landscape.sample_loss = loss(settings.sample);
  for (const double u : landscape.u) {
    landscape.loss.push_back(loss(u));
    landscape.inner.push_back(loss(u) * gaussian(u, settings.sample, settings.inner_sigma));
  }
  for (const double sigma : settings.sigmas) {
    auto& transform = landscape.transforms.emplace_back();
    for (const double x : landscape.u) transform.push_back(k_transform(loss, x, sigma));
  }
  add_inner_maximum(problem, landscape);
  return landscape;
}

}  // namespace arks::study
