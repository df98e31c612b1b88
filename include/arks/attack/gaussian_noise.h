#pragma once
#include <arks/attack/attack.h>
#include <torch/arg.h>
#include <torch/types.h>

namespace arks {

struct GaussianNoiseOptions {
  GaussianNoiseOptions() = default;
  TORCH_ARG(double, eps) = 0.1;         // standard deviation, in units of the input; ≥ 0
  TORCH_ARG(torch::Tensor, eps_scale);  // that of feature j is eps·scale_j, ≥ 0; shapes as of per_feature; undefined: 1
};

/// Noise on every value, whatever the model: u = x + s·ξ with ξ standard normal, independent. Clamped to the bounds
/// where some are declared, and only then. As with UniformNoise, the same generator gives the same ξ for every s.
class GaussianNoise : public Attack {
 public:
  explicit GaussianNoise(GaussianNoiseOptions options = GaussianNoiseOptions());
  std::string name() const override { return "gaussian"; }
  std::string measure() const override { return ""; }
  double eps() const override { return options_.eps(); }
  std::unique_ptr<BoundAttack> bind(Problem& problem, const std::optional<Bounds>& bounds) const override;

 private:
  GaussianNoiseOptions options_;
};

}  // namespace arks
