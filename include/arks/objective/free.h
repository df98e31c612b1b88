#pragma once
#include <arks/data/bounds.h>
#include <arks/objective/objective.h>
#include <torch/arg.h>

#include <optional>

namespace arks {

struct FreeOptions {
  FreeOptions() = default;
  TORCH_ARG(int64_t, replays) = 8;      // m, passes over every batch; > 0
  TORCH_ARG(double, eps) = 8.0 / 255;   // radius of the L∞ ball and length of a step, in units of the input; ≥ 0
  TORCH_ARG(torch::Tensor, eps_scale);  // a factor ≥ 0 per feature for eps; undefined: 1
  TORCH_ARG(std::optional<Bounds>, bounds) = std::nullopt;  // x + δ is clamped to the box
};

/// Free adversarial training (Shafahi, Najibi, Ghiasi, Xu, Dickerson, Studer, Davis, Taylor, Goldstein, "Adversarial
/// Training for Free!", 2019): every batch is trained on m times in a row, and the backward pass of a step of the
/// weights gives the step of the perturbation too,
///   m times:   g_θ, g_δ = ∇_{θ,δ} mean_i l(θ, clamp(x_i + δ_i)),      θ ← θ − the optimiser's step on g_θ,
///              δ ← clamp(δ + eps·sign g_δ, −eps, eps),
/// where clamp(x + δ) goes into the bounds when there are any; a value that it cuts off has g_δ = 0.
/// δ has one row for every place in a batch; it begins at zero and is carried from a batch to the next, whose samples
/// are others, as in the authors' code. An epoch costs as much as m ordinary ones, so their number is usually divided
/// by m. A network with batch norm moves its statistics in each of the m passes. Clean figures are measured before the
/// first pass of a batch; adversarial loss and surrogate are means over its passes.
///
/// m = 1 is ordinary training with one step, made on the batch before. eps = 0 is ERM with m steps on every batch.
class FreeTraining : public Objective {
 public:
  explicit FreeTraining(FreeOptions options = FreeOptions());
  std::string name() const override { return "free"; }
  std::unique_ptr<Majorant> bind(Problem& problem) const override;

 private:
  FreeOptions options_;
};

}  // namespace arks
