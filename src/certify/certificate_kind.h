#pragma once
#include "objective/method.h"

#include <arks/certify/c_transform_options.h>

#include <string>
#include <vector>

namespace arks {

/// A certificate by its name after `arks certify --method`: that of a method (Method::certificate), or "c-transform",
/// in which everything can be chosen.
struct CertificateKind : CertificateForm {
  std::string name;
  bool any_quantity = false;  ///< the quantity can be chosen

  /// Usual one.
  Quantity quantity() const { return of_log_loss ? Quantity::kLogLoss : Quantity::kLoss; }
};

/// Null when there is none of this name.
const CertificateKind* find_certificate_kind(const std::string& name);
std::vector<std::string> certificate_kind_names();
/// Those that have the property, such as &CertificateKind::takes_sigma.
std::vector<std::string> certificate_kinds_with(bool CertificateKind::*property);

}  // namespace arks
