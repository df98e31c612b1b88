#pragma once
#include <arks/inner/ascent.h>
#include <arks/inner/constraint.h>
#include <arks/kernel/cost.h>
#include <arks/objective/objective.h>

#include <optional>

namespace arks {

/// Wasserstein risk minimisation (Sinha, Namkoong, Duchi 2017):
///   min_θ mean_i sup_u { l(θ,u) − γ·c(u,ξ_i) }.
/// c = ‖u−ξ‖² (the default, and what γ means in the paper's tables) gives the Moreau envelope, c = ‖u−ξ‖ the
/// Pasch–Hausdorff envelope. γ → ∞ gives ERM; for small γ the supremum is infinite for unbounded losses unless
/// u is held in a domain.
class Wrm : public Objective {
 public:
  explicit Wrm(double gamma, AscentOptions ascent = AscentOptions(), CostPtr cost = std::make_shared<SquaredL2>(),
               std::optional<Bounds> domain = std::nullopt);
  std::string name() const override { return "wrm"; }
  std::string remedy() const override;
  std::unique_ptr<Majorant> bind(Problem& problem) const override;

 private:
  double gamma_;
  AscentOptions ascent_;
  CostPtr cost_;
  std::optional<Bounds> domain_;
};

}  // namespace arks
