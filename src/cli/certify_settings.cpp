#include "cli/certify_settings.h"

#include "certify/kernel_cost.h"

#include <arks/certify/certificate.h>
#include <arks/support/error.h>

namespace arks::cli {

void CertifySettings::check() const {
  const auto& form = kind();
  ARKS_CHECK(!quantity.given() || form.any_quantity, "--quantity goes with --method c-transform; ", *method,
             " has its own");
  ARKS_CHECK(!sigma.given() || form.takes_sigma, "--sigma goes with arks and ke; ", *method, " takes --gamma");
  ARKS_CHECK(!gamma.given() || form.takes_gamma, "--gamma goes with wrm, ke and c-transform; arks takes --sigma");
  ARKS_CHECK(!temperature.given() || (!gamma.given() && (form.of_kernel || !sigma.given())),
             "--temperature excludes --", gamma.given() ? "gamma" : "sigma");
  ARKS_CHECK(!form.of_kernel || domain.domain.has_value(), "--method ", *method, " needs --domain lo,hi: its cost is ",
             "bounded, so without a compact set the supremum is infinite");
  ARKS_CHECK(!form.of_kernel || sigma.given() || kernel_temperature.given() || imq_scale.given(), "--method ", *method,
             " needs --sigma, the bandwidth of its kernel, or --kernel-temperature");
  ARKS_CHECK(!kernel_temperature.given() || form.of_kernel, "--kernel-temperature goes with --method ke");
  ARKS_CHECK(!kernel_temperature.given() || !sigma.given(), "--sigma and --kernel-temperature exclude one another");
  cost.check();
  ARKS_CHECK(!imq_scale.given() || !cost.cost.given(), "--imq-scale is a cost of its own and excludes --cost");
  ARKS_CHECK(*label == "population" || !has_curve() || (!delta.given() && !floor.given() && !cap.given()),
             "--delta, --floor and --cap go with --label population, not ", *label);
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
    return std::make_shared<KernelCost>(Kernel(base, kernel_temperature.value_or(1)));
  }
  ARKS_CHECK(sigma->values.size() == 1, "--sigma: the kernel of ke has one bandwidth, got ", sigma->text);
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
