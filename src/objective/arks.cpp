#include "maximized_majorant.h"

#include <arks/objective/arks.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

Arks::Arks(Kernel kernel, AscentOptions ascent, InnerForm form, std::optional<Bounds> domain)
    : kernel_(std::move(kernel)), ascent_(ascent), form_(form), domain_(std::move(domain)) {
  check(ascent_);
  if (domain_) check(*domain_);
  ARKS_CHECK(domain_ || !kernel_.needs_domain(), "arks: with ",
             std::isinf(kernel_.temperature()) ? "an infinite bandwidth" : "the inverse multiquadric kernel",
             " the supremum over all of space is infinite for an unbounded loss; declare a compact domain");
}

std::unique_ptr<Majorant> Arks::bind(Problem& problem) const {
  const double temperature = kernel_.temperature();
  const auto product = std::make_shared<KernelProduct>(temperature);
  InnerObjectivePtr climbed = product;
  if (form_ == InnerForm::kLog) climbed = std::make_shared<LogKernelProduct>(temperature);
  MaximizedMajorant::Parts parts;
  parts.domain = domain_;
  parts.maximizer = make_maximizer(problem, climbed, kernel_.cost(), ascent_, make_domain(domain_));
  parts.surrogate = product;
  parts.temperature = temperature;
  parts.reports_cost = true;
  return std::make_unique<MaximizedMajorant>(problem, std::move(parts));
}

}  // namespace arks
