#pragma once
#include <arks/attack/attack.h>
#include <torch/arg.h>
#include <torch/types.h>

#include <string>
#include <vector>

namespace arks {

struct DriftOptions {
  DriftOptions() = default;
  TORCH_ARG(double, eps) = 1;         // how much of the drift; 0: none, 1: all of it
  TORCH_ARG(torch::Tensor, factor);   // [features] each, on the scale of the samples; undefined: none of this
  TORCH_ARG(torch::Tensor, offset);   //
  TORCH_ARG(torch::Tensor, uniform);  // ≥ 0, times ξ uniform in [−1,1]
  TORCH_ARG(torch::Tensor, normal);   // ≥ 0, times ζ standard normal
};

/// The drift that somebody expects: some features are shifted, multiplied or noisy, the others stay as they are,
///   u = x + eps·((factor − 1)·x + offset + uniform·ξ + normal·ζ).
/// Clamped to the bounds where some are declared, and only then. eps → 0 gives the clean samples.
class Drift : public Attack {
 public:
  explicit Drift(DriftOptions options);
  std::string name() const override { return "drift"; }
  std::string measure() const override { return ""; }
  double eps() const override { return options_.eps(); }
  std::unique_ptr<BoundAttack> bind(Problem& problem, const std::optional<Bounds>& bounds) const override;

 private:
  DriftOptions options_;
};

}  // namespace arks
