#include <arks/certify/convexity.h>

#include "known_constants.h"
#include "support/samples.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <cmath>
#include <limits>

namespace arks {

namespace {

void check(const ConvexityOptions& options) {
  ARKS_CHECK(options.transform().starts() >= 2, "convexity: starts are compared, so at least 2 are needed, got ",
             options.transform().starts());
  for (const double temperature : options.temperatures()) {
    ARKS_CHECK(temperature > 0, "convexity: temperatures must be positive, got ", temperature);
  }
  ARKS_CHECK(options.value_tolerance() > 0, "convexity: the tolerance of values must be positive, got ",
             options.value_tolerance());
  ARKS_CHECK(options.distance_tolerance() > 0, "convexity: the tolerance of maximisers must be positive, got ",
             options.distance_tolerance());
}

std::optional<double> largest_temperature(const ConvexityReport& report, const CostGeometry& cost) {
  if (!report.curvature || cost.convexity.value_or(0) <= 0) return std::nullopt;
  if (*report.curvature <= 0) return std::numeric_limits<double>::infinity();
  return *cost.convexity / *report.curvature;
}

Agreement compare(CTransform& transform, const ConvexityOptions& options, double temperature) {
  const auto results = transform.from_each_start(1 / temperature);
  const auto& first = results.front();
  auto values = torch::ones_like(first.estimated, torch::kBool), maximisers = values.clone();
  for (size_t i = 1; i < results.size(); ++i) {
    const auto apart = (results[i].estimated - first.estimated).abs();
    values = values.logical_and(apart <= options.value_tolerance() * (1 + first.estimated.abs()));
    const auto moved = sample_norms(first.u - transform.inputs());
    const auto away = sample_norms(results[i].u - first.u);
    maximisers = maximisers.logical_and(away <= options.distance_tolerance() * (1 + moved));
  }
  const auto share = [](const torch::Tensor& which) { return which.to(torch::kDouble).mean().item<double>(); };
  return {temperature, share(values), share(values.logical_and(maximisers))};
}

}  // namespace

ConvexityReport check_convexity(Problem& problem, const Dataset& dataset, const ConvexityOptions& options) {
  check(options);
  const auto known = known_constants(problem, dataset, options.transform());
  ConvexityReport report;
  report.lipschitz = known.lipschitz;
  report.curvature = known.curvature;
  report.why_no_lipschitz = known.why_no_lipschitz;
  report.why_no_curvature = known.why_no_curvature;
  report.cost = options.transform().cost()->name();
  CTransform transform(problem, dataset, options.transform());
  report.samples = transform.samples();
  report.largest_temperature = largest_temperature(report, transform.geometry());
  auto temperatures = options.temperatures();
  if (temperatures.empty() && report.largest_temperature) {
    const bool all = std::isinf(*report.largest_temperature);
    temperatures.push_back(all ? 1 : *report.largest_temperature / 2);
  }
  for (const double temperature : temperatures) {
    report.agreements.push_back(compare(transform, options, temperature));
  }
  return report;
}

std::optional<double> ConvexityReport::largest_sigma() const {
  if (!largest_temperature || cost != HalfSquaredL2().name()) return std::nullopt;
  return std::sqrt(*largest_temperature);
}

std::string ConvexityReport::brief_report() const {
  if (!largest_temperature) {
    const auto reason = curvature ? "the cost " + cost + " is not strongly convex" : why_no_curvature;
    return "no temperature is provably concave: " + reason + "\n";
  }
  if (std::isinf(*largest_temperature)) return "the inner problem is concave at every temperature\n";
  const auto sigma = largest_sigma();
  return "the inner problem is provably concave for " +
         (sigma ? "sigma below " + six_digits(*sigma) : "temperatures below " + six_digits(*largest_temperature)) +
         "\n";
}

std::string ConvexityReport::full_report() const {
  std::string text = to_string(KnownConstants{lipschitz, curvature, why_no_lipschitz, why_no_curvature});
  text += brief_report();
  for (const auto& agreement : agreements) {
    const bool gaussian = cost == HalfSquaredL2().name();
    text += gaussian ? "sigma " + six_digits(std::sqrt(agreement.temperature))
                     : "temperature " + six_digits(agreement.temperature);
    text += ": all starts reach the same value on " + percent(agreement.values, 1) + " of " + std::to_string(samples) +
            " samples, and the same maximiser on " + percent(agreement.maximisers, 1) + "\n";
  }
  return text;
}

}  // namespace arks
