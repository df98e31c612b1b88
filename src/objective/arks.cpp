#include "maximized_majorant.h"

#include <arks/objective/arks.h>

namespace arks {

Arks::Arks(Kernel kernel, AscentOptions ascent, InnerForm form)
    : kernel_(std::move(kernel)), ascent_(ascent), form_(form) {
  check(ascent_);
}

std::unique_ptr<Majorant> Arks::bind(Problem& problem) const {
  const double temperature = kernel_.temperature();
  const auto product = std::make_shared<KernelProduct>(temperature);
  InnerObjectivePtr climbed = product;
  if (form_ == InnerForm::kLog) climbed = std::make_shared<LogKernelProduct>(temperature);
  MaximizedMajorant::Parts parts;
  parts.maximizer = make_maximizer(problem, climbed, kernel_.cost(), ascent_, std::make_shared<Unconstrained>());
  parts.surrogate = product;
  parts.temperature = temperature;
  parts.reports_cost = true;
  return std::make_unique<MaximizedMajorant>(problem, std::move(parts));
}

}  // namespace arks
