#pragma once
#include <arks/attack/attack.h>
#include <torch/arg.h>
#include <torch/types.h>

namespace arks {

struct UniformNoiseOptions {
  UniformNoiseOptions() = default;
  TORCH_ARG(double, eps) = 0.1;         // d, in units of the input; ≥ 0
  TORCH_ARG(torch::Tensor, eps_scale);  // d of feature j is eps·scale_j, ≥ 0; shapes as of per_feature; undefined: 1
};

/// Noise on every value, whatever the model: u = x + d·ξ with ξ uniform in [−1,1], independent, so the mean
/// square of u − x is d²/3. Of the published experiments with tables. Clamped to the bounds where some are declared,
/// and only then.
///
/// The same generator gives the same ξ for every d, every model and every batch size, so that errors and losses against
/// d are curves of one draw, smooth in d, and models are compared on the same samples. d → 0 gives the clean samples.
class UniformNoise : public Attack {
 public:
  explicit UniformNoise(UniformNoiseOptions options = UniformNoiseOptions());
  std::string name() const override { return "uniform"; }
  std::string measure() const override { return ""; }
  double eps() const override { return options_.eps(); }
  std::unique_ptr<BoundAttack> bind(Problem& problem, const std::optional<Bounds>& bounds) const override;

 private:
  UniformNoiseOptions options_;
};

}  // namespace arks
