#include "certify/certificate_kind.h"

#include "support/text.h"

#include <arks/support/error.h>

namespace arks {

namespace {

// name, quantity, cost, takes sigma, takes gamma, of a kernel, any quantity
const CertificateKind kKinds[] = {
    {"arks", Quantity::kLogLoss, "half-sq-l2", true, false, false, false},
    {"wrm", Quantity::kLoss, "sq-l2", false, true, false, false},
    {"ke", Quantity::kLoss, "half-sq-l2", true, true, true, false},
    {"c-transform", Quantity::kLoss, "half-sq-l2", false, true, false, true},
};

}  // namespace

std::vector<std::string> certificate_kind_names() {
  std::vector<std::string> names;
  for (const auto& kind : kKinds) names.push_back(kind.name);
  return names;
}

std::vector<std::string> certificate_kinds_with(bool CertificateKind::*property) {
  std::vector<std::string> names;
  for (const auto& kind : kKinds) {
    if (kind.*property) names.push_back(kind.name);
  }
  return names;
}

const CertificateKind& find_certificate_kind(const std::string& name) {
  for (const auto& kind : kKinds) {
    if (kind.name == name) return kind;
  }
  throw Error("unknown method '" + name + "'" + did_you_mean(name, certificate_kind_names()) +
              "; known: " + join(certificate_kind_names()));
}

}  // namespace arks
