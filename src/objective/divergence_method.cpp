#include "objective/divergence_method.h"

namespace arks {

DivergenceMethod::DivergenceMethod(std::string name, std::function<double()> usual)
    : beta(
          this,
          real("beta", "weight of the divergence beside the loss").not_negative().otherwise([usual = std::move(usual)] {
            return std::optional(usual());
          })),
      name_(std::move(name)) {}

std::string DivergenceMethod::advice() const {
  const auto short_of = falls_short(inner, ball);
  return short_of.empty() ? "" : name_ + ": " + short_of + "; a larger --inner-lr is usually meant";
}

}  // namespace arks
