#include "objective/divergence_method.h"

#include <arks/support/error.h>

namespace arks {

DivergenceMethod::DivergenceMethod(std::string name, std::function<double()> usual)
    : beta(this, real("beta", "weight of the divergence").not_negative().otherwise([usual = std::move(usual)] {
        return std::optional(usual());
      })),
      name_(std::move(name)) {}

std::string DivergenceMethod::advice() const {
  const auto short_of = falls_short(inner, ball);
  return short_of.empty() ? "" : name_ + ": " + short_of + "; a larger --inner-lr is usually intended";
}

void DivergenceMethod::check_samples(const Dataset& train_set) const {
  const auto& info = train_set.info();
  ARKS_CHECK(info.num_classes > 0, "--method ", name_, " compares probabilities of classes, but ", info.name,
             " is a regression; use --method pgd");
  ball.check_samples(train_set);
}

}  // namespace arks
