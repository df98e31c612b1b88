#pragma once
#include <arks/objective/objective.h>

namespace arks {

/// Empirical risk minimisation: min_θ mean_i l(θ,ξ_i). No robustness; the limit of ARKS as σ → 0 and of WRM as γ → ∞.
class Erm : public Objective {
 public:
  std::string name() const override { return "erm"; }
  std::unique_ptr<Majorant> bind(Problem& problem) const override;
};

}  // namespace arks
