#include "cli/certify_settings.h"

#include "certify/kernel_cost.h"

#include <arks/certify/certificate.h>
#include <arks/support/error.h>

namespace arks::cli {

void CertifySettings::check_used(const AnySetting& setting, bool CertificateKind::*property) const {
  ARKS_CHECK(!setting.given() || kind().*property, setting.flag(), " is not used by ", *method, "; it is for ",
             join(certificate_kinds_with(property)));
}

void CertifySettings::check() const {
  const auto& form = kind();
  check_used(quantity, &CertificateKind::any_quantity);
  check_used(sigma, &CertificateKind::takes_sigma);
  check_used(gamma, &CertificateKind::takes_gamma);
  check_used(kernel_temperature, &CertificateKind::of_kernel);
  ARKS_CHECK(!temperature.given() || (!gamma.given() && (form.of_kernel || !sigma.given())), "--temperature and ",
             gamma.given() ? gamma.flag() : sigma.flag(), " cannot be used together");
  ARKS_CHECK(!form.of_kernel || domain.domain.has_value(), "--method ", *method, " needs --domain lo,hi: its cost is ",
             "bounded, so without a compact set the supremum is infinite");
  ARKS_CHECK(!form.of_kernel || sigma.given() || kernel_temperature.given() || imq_scale.given(), "--method ", *method,
             " needs --sigma, the bandwidth of its kernel, or --kernel-temperature");
  ARKS_CHECK(!kernel_temperature.given() || !sigma.given(), "--sigma and --kernel-temperature cannot be used together");
  cost.check();
  ARKS_CHECK(!imq_scale.given() || !cost.cost.given(),
             "--imq-scale and --cost cannot be used together: --imq-scale is a cost of its own");
  ARKS_CHECK(!has_curve() || *label == "population" || (!delta.given() && !floor.given() && !cap.given()),
             "--delta, --floor and --cap are for --label population, not ", *label);
}

CostPtr CertifySettings::base_cost(const CostPtr& learned) const {
  if (imq_scale.has_value()) return std::make_shared<LogQuadratic>(*imq_scale);
  if (!cost.is_mahalanobis()) return make_cost(*cost.cost);
  if (learned) return learned;
  return std::make_shared<HalfSquaredL2>();  // of the same kind, for checking settings before the data are there
}

CostPtr CertifySettings::transport_cost(const CostPtr& learned) const {
  const auto base = base_cost(learned);
  if (!kind().of_kernel) return base;
  if (!sigma.has_value()) {
    return std::make_shared<KernelCost>(Kernel(base, *kernel_temperature));
  }
  ARKS_CHECK(sigma->values.size() == 1, "--sigma: the kernel of ", *method, " has one bandwidth, got ", sigma->text);
  return std::make_shared<KernelCost>(Kernel(base, temperatures_of_sigmas(sigma->values, *base).front()));
}

std::optional<std::vector<double>> CertifySettings::temperatures(const Cost& of) const {
  if (temperature.has_value()) return temperature->values;
  if (gamma.has_value()) return temperatures_of_gammas(gamma->values);
  if (sigma.has_value() && !kind().of_kernel) {
    return temperatures_of_sigmas(sigma->values, of);
  }
  return std::nullopt;
}

}  // namespace arks::cli
