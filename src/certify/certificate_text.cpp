#include "certify/certificate_kind.h"
#include "certify/known_constants.h"
#include "support/text.h"

#include <arks/certify/certificate.h>
#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

bool squared_bandwidth(const std::string& cost) {
  return cost == "half-sq-l2";
}

bool plain_bandwidth(const std::string& cost) {
  return cost == "l1" || cost == "l2";
}

/// Whether reports say gamma, 1/τ. A name of one's own tells nothing more of the method.
bool goes_by_gamma(const std::string& method) {
  const auto* kind = find_certificate_kind(method);
  return kind == nullptr || kind->takes_gamma;
}

}  // namespace

std::vector<std::string> certificate_label_names() {
  return {"estimated", "verified", "population"};
}

std::string to_string(CertificateLabel label) {
  return certificate_label_names().at(static_cast<size_t>(label));
}

CertificateLabel parse_certificate_label(const std::string& name) {
  return named_value<CertificateLabel>(name, certificate_label_names(), "label");
}

std::vector<double> temperatures_of_sigmas(const std::vector<double>& sigmas, const Cost& cost) {
  const auto name = cost.name();
  ARKS_CHECK(squared_bandwidth(name) || plain_bandwidth(name), "certify: the cost ", name,
             " has no bandwidth sigma; give temperatures");
  std::vector<double> temperatures;
  for (const double sigma : sigmas) {
    ARKS_CHECK(sigma > 0, "certify: sigma must be positive, got ", sigma);
    temperatures.push_back(squared_bandwidth(name) ? sigma * sigma : sigma);
  }
  return temperatures;
}

std::vector<double> temperatures_of_gammas(const std::vector<double>& gammas) {
  std::vector<double> temperatures;
  for (const double gamma : gammas) {
    ARKS_CHECK(std::isfinite(gamma) && gamma >= 0, "certify: gamma must be finite and not negative, got ", gamma);
    temperatures.push_back(1 / gamma);
  }
  return temperatures;
}

bool Certificate::vacuous(const CertificatePoint& point) const {
  if (!std::isfinite(point.bound)) return true;
  if (constant && label != CertificateLabel::kEstimated && point.bound >= *constant) return true;
  if (!cap) return false;
  return point.bound >= (quantity == Quantity::kLogLoss ? std::log(*cap) : *cap);
}

std::string Certificate::parameter() const {
  if (goes_by_gamma(method)) return "gamma";
  return squared_bandwidth(cost) || plain_bandwidth(cost) ? "sigma" : "temperature";
}

double Certificate::parameter_of(double temperature) const {
  if (goes_by_gamma(method)) return 1 / temperature;
  return squared_bandwidth(cost) ? std::sqrt(temperature) : temperature;
}

std::string Certificate::brief_report() const {
  std::string text = to_string(label) + " " + method + " certificate of the mean " + to_string(quantity) + ", cost " +
                     cost + ", " + std::to_string(samples) + " samples";
  if (domain) text += " on the domain " + to_string(*domain);
  if (!curve.empty()) {
    const auto& last = curve.back();
    text += ": at most " + six_digits(last.bound) + " within rho " + shortest(last.rho) + ", " +
            six_digits(last.attained) + " is attained";
  }
  return text + (delta ? ", except with probability " + shortest(*delta) : "") + "\n";
}

std::string Certificate::full_report() const {
  std::string text =
      brief_report() + arks::to_string(KnownConstants{lipschitz, curvature, why_no_lipschitz, why_no_curvature});
  for (const auto& point : curve) {
    text += "rho " + shortest(point.rho) + ": bound " + six_digits(point.bound);
    if (point.bound_paper) text += ", paper's bound " + six_digits(*point.bound_paper);
    text += ", estimated " + six_digits(point.estimated) + ", attained " + six_digits(point.attained) + ", " +
            parameter() + " " + six_digits(parameter_of(point.temperature)) + "\n";
  }
  return text;
}

}  // namespace arks
