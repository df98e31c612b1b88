#include <arks/certify/certificate.h>

#include "attained_curve.h"
#include "certify/certificate_kind.h"
#include "certify/kernel_cost.h"
#include "known_constants.h"
#include "numbers.h"
#include "strength_search.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

/// With the usual quantity and cost of this kind.
CertificateOptions of_kind(const std::string& name) {
  const auto* kind = find_certificate_kind(name);
  return CertificateOptions().method(name).transform(
      CTransformOptions().quantity(kind->quantity()).cost(make_cost(kind->cost)));
}

void check_population(const CertificateOptions& options) {
  ARKS_CHECK(options.delta() && *options.delta() > 0 && *options.delta() < 1,
             "certify: a population statement needs delta in (0, 1), the chance that it is wrong, got ",
             options.delta() ? shortest(*options.delta()) : "none");
  ARKS_CHECK(options.floor() && options.cap(),
             "certify: a population statement needs a floor and a cap of the loss, since only a bounded loss "
             "concentrates");
  ARKS_CHECK(std::isfinite(*options.floor()) && std::isfinite(*options.cap()) && *options.floor() < *options.cap(),
             "certify: the floor must be below the cap, got ", *options.floor(), " and ", *options.cap());
  ARKS_CHECK(options.transform().quantity() == Quantity::kLoss || *options.floor() > 0,
             "certify: the floor must be positive, since its logarithm is taken, got ", *options.floor());
  ARKS_CHECK(options.split() == Split::kTest,
             "certify: a population statement needs samples that training has not seen, not the training split");
  ARKS_CHECK(options.temperatures(),
             "certify: a population statement needs a list of temperatures fixed beforehand; searched ones depend on "
             "the samples");
}

}  // namespace

void check(const CertificateOptions& options) {
  const auto& transform = options.transform();
  ARKS_CHECK(!options.rhos().empty(), "certify: no radius rho given");
  for (const double rho : options.rhos()) {
    ARKS_CHECK(std::isfinite(rho) && rho >= 0, "certify: rho must be finite and not negative, got ", rho);
  }
  ARKS_CHECK(!options.temperatures() || !options.temperatures()->empty(),
             "certify: the list of temperatures is empty; give one, or leave it out to have them searched");
  for (const double temperature : options.temperatures().value_or(std::vector<double>{})) {
    ARKS_CHECK(temperature > 0, "certify: temperatures must be positive, got ", temperature);
    ARKS_CHECK(std::isfinite(temperature) || transform.domain(),
               "certify: an infinite temperature is the worst case over all u and needs a declared domain");
  }
  ARKS_CHECK(transform.cost() != nullptr, "certify: no cost given");
  ARKS_CHECK(!transform.cost()->needs_domain() || transform.domain(), "certify: the cost ", transform.cost()->name(),
             " grows so slowly that the supremum over all u is infinite for an unbounded loss; declare a domain");
  ARKS_CHECK(options.refinements() > 0, "certify: refinements must be positive, got ", options.refinements());
  ARKS_CHECK(std::isfinite(options.tolerance()) && options.tolerance() > 0,
             "certify: the tolerance must be positive and finite, got ", options.tolerance());
  if (options.label() == CertificateLabel::kPopulation) check_population(options);
}

namespace {

constexpr const char* kEstimatedWorks = "; --label estimated works without a proof";

void check_constants(const Certificate& certificate) {
  if (certificate.label == CertificateLabel::kEstimated || certificate.lipschitz || certificate.curvature) return;
  const bool one_reason = certificate.why_no_lipschitz == certificate.why_no_curvature;
  throw Error("certify: nothing can be proved; neither a Lipschitz constant nor a bound on the curvature is known: " +
              certificate.why_no_lipschitz + (one_reason ? "" : "; " + certificate.why_no_curvature) + kEstimatedWorks);
}

/// Why a proof fails at all temperatures although there are constants.
[[noreturn]] void refuse(const Certificate& certificate, const CostGeometry& cost) {
  std::vector<std::string> reasons;
  if (certificate.lipschitz) {
    reasons.push_back(cost.linear ? c10::str("by the Lipschitz constant it needs a temperature of at most ",
                                             shortest(*cost.linear / *certificate.lipschitz), " or a domain")
                                  : "by the Lipschitz constant it needs a domain");
  } else {
    reasons.push_back("no Lipschitz constant: " + certificate.why_no_lipschitz);
  }
  const bool strongly = cost.convexity.value_or(0) > 0;
  if (certificate.curvature) {
    reasons.push_back(strongly ? c10::str("by the curvature it needs a temperature below ",
                                          shortest(*cost.convexity / *certificate.curvature), " or a domain")
                               : "by the curvature it needs a strongly convex cost or a domain");
  } else {
    reasons.push_back("no bound on the curvature: " + certificate.why_no_curvature);
  }
  throw Error("certify: nothing can be proved with cost " + certificate.cost +
              " at these temperatures: " + join(reasons, "; ") + kEstimatedWorks);
}

std::optional<std::pair<double, double>> clipping_range(const CertificateOptions& options) {
  if (options.label() != CertificateLabel::kPopulation) return std::nullopt;
  const double floor = *options.floor(), cap = *options.cap();
  if (options.transform().quantity() == Quantity::kLoss) return std::pair{floor, cap};
  return std::pair{std::log(floor), std::log(cap)};
}

/// A line for each strength at which the transform was evaluated, and for each rho the best that takes no ascent.
std::vector<StrengthRecord> find_lines(StrengthSearch& search, const CTransform& transform,
                                       const CertificateOptions& options) {
  if (options.temperatures()) {
    for (const double temperature : *options.temperatures()) search.evaluate(1 / temperature);
    return search.records();
  }
  std::vector<double> rhos = options.rhos();
  std::sort(rhos.begin(), rhos.end());
  if (transform.options().domain()) search.evaluate(0);
  for (const double rho : rhos) {
    if (rho > 0) search.refine(rho, options.refinements(), options.tolerance());
  }
  const bool proof = options.label() != CertificateLabel::kEstimated;
  const double convexity = transform.geometry().convexity.value_or(0);
  if (proof && transform.options().curvature() && convexity > 0) {
    // larger radii want a smaller strength than the curvature allows: then the smallest that it does
    const double least = *transform.options().curvature() / convexity;
    const bool below = !search.records().empty() && search.records().front().strength <= least;
    for (const double factor : {1.05, 1.001}) {
      if (below && least > 0) search.evaluate(least * factor);
    }
  }
  auto lines = search.records();
  for (const double rho : rhos) {
    if (proof && rho > 0 && transform.options().lipschitz()) lines.push_back(search.best_lipschitz(rho));
  }
  return lines;
}

/// Nothing moves when rho is 0: the limit τ → 0, exact.
StrengthRecord unmoved(const torch::Tensor& values) {
  StrengthRecord record;
  record.strength = kInfinite;
  record.estimated = record.verified = record.value = values.mean().item<double>();
  record.estimated_paper = record.verified_paper =
      values.logsumexp(0).item<double>() - std::log(static_cast<double>(values.size(0)));
  return record;
}

/// A line at rho; the unmoved one only holds at 0.
double at_radius(double value, double strength, double rho) {
  return rho == 0 ? value : value + rho * strength;
}

CertificatePoint best_point(const std::vector<StrengthRecord>& lines, double rho, const Certificate& certificate) {
  const bool estimated = certificate.label == CertificateLabel::kEstimated;
  CertificatePoint point;
  point.rho = rho;
  point.bound = point.estimated = kInfinite;
  double paper = kInfinite;
  for (const auto& line : lines) {
    const double bound = at_radius(estimated ? line.estimated : line.verified, line.strength, rho);
    if (bound < point.bound) {
      point.bound = bound;
      point.temperature = 1 / line.strength;
    }
    const double of_paper = estimated ? line.estimated_paper : line.verified_paper;
    paper = std::min(paper, at_radius(of_paper, line.strength, rho));
    point.estimated = std::min(point.estimated, at_radius(line.estimated, line.strength, rho));
  }
  if (certificate.quantity == Quantity::kLogLoss) point.bound_paper = paper;
  return point;
}

/// From the samples to the distribution behind them: Hoeffding's inequality for each of the temperatures. No clipped
/// quantity has a mean above the cap.
void add_concentration(CertificatePoint& point, const CertificateOptions& options, int64_t samples) {
  const auto [low, high] = *clipping_range(options);
  const auto temperatures = static_cast<double>(options.temperatures()->size());
  const double deviation =
      (high - low) * std::sqrt(std::log(temperatures / *options.delta()) / (2 * static_cast<double>(samples)));
  point.bound = std::min(point.bound + deviation, high);
  if (point.bound_paper) point.bound_paper = std::min(*point.bound_paper + deviation, high);
}

}  // namespace

CertificateOptions CertificateOptions::arks() {
  return of_kind("arks");
}

CertificateOptions CertificateOptions::wrm() {
  return of_kind("wrm");
}

CertificateOptions CertificateOptions::kernel_envelope(const Kernel& kernel, Bounds domain) {
  auto options = of_kind("ke");
  options.transform().cost(std::make_shared<KernelCost>(kernel)).domain(domain);
  return options;
}

CertificateOptions CertificateOptions::c_transform(Quantity quantity, CostPtr cost) {
  auto options = of_kind("c-transform");
  options.transform().quantity(quantity).cost(std::move(cost));
  return options;
}

Certificate certify(Problem& problem, const Dataset& dataset, const CertificateOptions& options) {
  check(options);
  Certificate certificate;
  certificate.method = options.method();
  certificate.cost = options.transform().cost()->name();
  certificate.quantity = options.transform().quantity();
  certificate.label = options.label();
  certificate.domain = options.transform().domain();
  certificate.searched = !options.temperatures();
  if (options.label() == CertificateLabel::kPopulation) {
    certificate.delta = options.delta();
    certificate.floor = options.floor();
    certificate.cap = options.cap();
  }
  const auto known = known_constants(problem, dataset, options.transform());
  certificate.lipschitz = known.lipschitz;
  certificate.curvature = known.curvature;
  certificate.why_no_lipschitz = known.why_no_lipschitz;
  certificate.why_no_curvature = known.why_no_curvature;
  check_constants(certificate);

  CTransform transform(
      problem, dataset,
      CTransformOptions(options.transform()).lipschitz(certificate.lipschitz).curvature(certificate.curvature));
  StrengthSearch search(transform, clipping_range(options));
  auto lines = find_lines(search, transform, options);
  certificate.samples = transform.samples();
  certificate.temperatures = static_cast<int64_t>(search.records().size());
  certificate.attained = search.attained();
  for (const double rho : options.rhos()) {
    auto choice = lines;
    if (rho == 0 && certificate.searched) choice = {unmoved(transform.at_samples())};
    auto point = best_point(choice, rho, certificate);
    if (!std::isfinite(point.bound) && certificate.label != CertificateLabel::kEstimated) {
      refuse(certificate, transform.geometry());
    }
    if (certificate.label == CertificateLabel::kPopulation) add_concentration(point, options, certificate.samples);
    point.attained = attained_within(certificate.attained, rho);
    certificate.curve.push_back(point);
  }
  return certificate;
}

double error_bound(double cross_entropy, std::optional<double> cap) {
  const double cost_of_an_error = std::min(std::log(2.0), cap.value_or(HUGE_VAL));
  return std::min(1.0, cross_entropy / cost_of_an_error);
}

}  // namespace arks
