#include "certify/certificate_kind.h"

namespace arks {

namespace {

std::vector<CertificateKind> all_kinds() {
  std::vector<CertificateKind> all;
  for (const auto& method : methods()) {
    if (const auto form = method.make()->certificate()) all.push_back({*form, method.name});
  }
  CertificateForm any;
  any.cost = "half-sq-l2";
  any.takes_gamma = true;
  all.push_back({any, "c-transform", /*any_quantity=*/true});
  return all;
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

const CertificateKind* find_certificate_kind(const std::string& name) {
  for (const auto& kind : kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace arks
