#pragma once
#include <arks/attack/attack.h>
#include <torch/arg.h>
#include <torch/types.h>

namespace arks {

struct PgdOptions {
  PgdOptions() = default;
  TORCH_ARG(double, eps) = 0.1;  // radius, in units of the input; ≥ 0
  TORCH_ARG(Norm, norm) = Norm::kLinf;
  TORCH_ARG(torch::Tensor, eps_scale);    // L∞: a factor ≥ 0 per feature for eps and alpha; see below; undefined: 1
  TORCH_ARG(int64_t, steps) = 15;         // > 0
  TORCH_ARG(double, alpha) = 0.03;        // step size, in units of the input; > 0
  TORCH_ARG(bool, random_start) = false;  // start anywhere in the ball instead of at x
  TORCH_ARG(int64_t, restarts) = 1;       // the first from x unless random_start, the others at random
  TORCH_ARG(bool, project_bounds) = false;  // clamp to the bounds in every step, not only at the end
};

/// Projected gradient ascent on the loss (Madry et al. 2018), with the published variant as the default: start at x,
///   u ← Π(u + α sign ∇l(u))   (L∞)      u ← Π(u + α ∇l/‖∇l‖₂)   (L2),
/// Π onto the ball of radius eps, one clamp to the bounds at the end. Of several restarts the worst is kept for each
/// sample on its own: an error beats none, then the larger loss.
///
/// With eps_scale s feature j may move by eps·s_j and does so in steps of alpha·s_j, so that all features reach their
/// edge together; where s_j = 0 the feature stays as it is. s has the shape of one sample or is flat (see per_feature).
class PgdAttack : public Attack {
 public:
  explicit PgdAttack(PgdOptions options = PgdOptions());
  std::string name() const override { return "pgd"; }
  std::string measure() const override { return to_string(options_.norm()); }
  double eps() const override { return options_.eps(); }
  std::unique_ptr<BoundAttack> bind(Problem& problem, const std::optional<Bounds>& bounds) const override;

 private:
  PgdOptions options_;
};

}  // namespace arks
