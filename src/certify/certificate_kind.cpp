#include "certify/certificate_kind.h"

#include "support/text.h"

#include <arks/support/error.h>

namespace arks {

namespace {

std::vector<CertificateKind> all_kinds() {
  CertificateKind arks{"arks", Quantity::kLogLoss, "half-sq-l2"};
  arks.takes_sigma = true;
  CertificateKind wrm{"wrm", Quantity::kLoss, "sq-l2"};
  wrm.takes_gamma = true;
  CertificateKind ke{"ke", Quantity::kLoss, "half-sq-l2"};
  ke.takes_sigma = ke.takes_gamma = ke.of_kernel = true;
  CertificateKind c_transform{"c-transform", Quantity::kLoss, "half-sq-l2"};
  c_transform.takes_gamma = c_transform.any_quantity = true;
  return {arks, wrm, ke, c_transform};
}

const std::vector<CertificateKind>& kinds() {
  static const auto all = all_kinds();
  return all;
}

}  // namespace

std::vector<std::string> certificate_kind_names() {
  std::vector<std::string> names;
  for (const auto& kind : kinds()) names.push_back(kind.name);
  return names;
}

std::vector<std::string> certificate_kinds_with(bool CertificateKind::*property) {
  std::vector<std::string> names;
  for (const auto& kind : kinds()) {
    if (kind.*property) names.push_back(kind.name);
  }
  return names;
}

const CertificateKind& find_certificate_kind(const std::string& name) {
  for (const auto& kind : kinds()) {
    if (kind.name == name) return kind;
  }
  throw Error("unknown method '" + name + "'" + did_you_mean(name, certificate_kind_names()) +
              "; known: " + join(certificate_kind_names()));
}

}  // namespace arks
