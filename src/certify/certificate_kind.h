#pragma once
#include <arks/certify/c_transform_options.h>

#include <string>
#include <vector>

namespace arks {

/// A form of the certificate by its name after `arks certify --method`: which quantity is bounded, how far a shift is
/// measured, and by which number its strength is chosen.
struct CertificateKind {
  std::string name;
  Quantity quantity;          ///< usual one
  std::string cost;           ///< usual one
  bool takes_sigma = false;   ///< a bandwidth: of the certificate, or of the kernel in the cost
  bool takes_gamma = false;   ///< what multiplies the cost, 1/τ
  bool of_kernel = false;     ///< the cost is 1 − k: bounded, so that a domain is needed
  bool any_quantity = false;  ///< the quantity can be chosen
};

/// Throws Error with the nearest name when there is none of this one.
const CertificateKind& find_certificate_kind(const std::string& name);
std::vector<std::string> certificate_kind_names();
/// Those that have the property, such as &CertificateKind::takes_sigma.
std::vector<std::string> certificate_kinds_with(bool CertificateKind::*property);

}  // namespace arks
