#pragma once
#include <arks/inner/ascent.h>
#include <arks/inner/constraint.h>
#include <arks/objective/objective.h>
#include <torch/arg.h>

#include <optional>

namespace arks {

struct PgdTrainingOptions {
  PgdTrainingOptions() = default;
  TORCH_ARG(double, eps) = 0.3;           // radius of the ball, in units of the input; ≥ 0
  TORCH_ARG(Norm, norm) = Norm::kLinf;    // L∞: sign steps; L2: normalised steps
  TORCH_ARG(torch::Tensor, eps_scale);    // L∞: a factor ≥ 0 per feature for eps and α; undefined: 1
  TORCH_ARG(bool, random_start) = false;  // as published: start at x
  TORCH_ARG(std::optional<Bounds>, bounds) = std::nullopt;  // intersect the ball with the box; as published: not
};

/// Adversarial training with projected gradient ascent (Madry et al. 2018): min_θ mean_i max_{‖u−ξ_i‖≤eps} l(θ,u).
/// Steps of size α from the ascent options; with steps·α < eps the ball's surface is never reached (so it is in the
/// published runs: 15·0.001 < 0.3). With eps_scale s feature j may move by eps·s_j in steps of α·s_j (see PgdAttack).
/// eps → 0 gives ERM.
class PgdTraining : public Objective {
 public:
  explicit PgdTraining(PgdTrainingOptions options, AscentOptions ascent = AscentOptions());
  std::string name() const override { return "pgd"; }
  std::unique_ptr<Majorant> bind(Problem& problem) const override;

 private:
  PgdTrainingOptions options_;
  AscentOptions ascent_;
};

}  // namespace arks
