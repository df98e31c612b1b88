#include "maximized_majorant.h"

#include <arks/objective/wrm.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

Wrm::Wrm(double gamma, AscentOptions ascent, CostPtr cost, std::optional<Bounds> domain)
    : gamma_(gamma), ascent_(ascent), cost_(std::move(cost)), domain_(std::move(domain)) {
  ARKS_CHECK(std::isfinite(gamma_) && gamma_ >= 0, "wrm: gamma must not be negative, got ", gamma_);
  ARKS_CHECK(cost_ != nullptr, "wrm: no cost given");
  check(ascent_);
  if (domain_) check(*domain_);
}

std::unique_ptr<Majorant> Wrm::bind(Problem& problem) const {
  const auto penalty = std::make_shared<LinearPenalty>(gamma_);
  MaximizedMajorant::Parts parts;
  parts.domain = domain_;
  parts.maximizer = make_maximizer(problem, penalty, cost_, ascent_, make_domain(domain_));
  parts.surrogate = penalty;
  parts.reports_cost = true;
  return std::make_unique<MaximizedMajorant>(problem, std::move(parts));
}

}  // namespace arks
