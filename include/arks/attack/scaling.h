#pragma once
#include <arks/attack/attack.h>
#include <torch/arg.h>
#include <torch/types.h>

namespace arks {

struct ScalingOptions {
  ScalingOptions() = default;
  TORCH_ARG(double, eps) = 0.5;    // Δ, a fraction of the input; ≥ −1
  TORCH_ARG(torch::Tensor, zero);  // [...] of a sample: where the user's 0 lies, −mean/deviation; undefined: at 0
  TORCH_ARG(torch::Tensor, mask);  // [...] 1 where a value is scaled, 0 where it stays; undefined: all are
};

/// All inputs larger by the same factor, whatever the model: u = (1+Δ)·x, or about another zero z, u = z + (1+Δ)(x −
/// z), so that standardised inputs move as the user's own numbers do. Of the published experiments with robust least
/// squares. Clamped to the bounds where some are declared, and only then. Δ → 0 gives the clean samples, Δ = −1 zeros.
class Scaling : public Attack {
 public:
  explicit Scaling(ScalingOptions options = ScalingOptions());
  std::string name() const override { return "scale"; }
  std::string measure() const override { return ""; }
  double eps() const override { return options_.eps(); }
  std::unique_ptr<BoundAttack> bind(Problem& problem, const std::optional<Bounds>& bounds) const override;

 private:
  ScalingOptions options_;
};

}  // namespace arks
