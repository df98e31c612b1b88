#pragma once
#include <arks/attack/pgd.h>
#include <torch/arg.h>

namespace arks {

struct FgsmOptions {
  FgsmOptions() = default;
  TORCH_ARG(double, eps) = 0.1;  // radius, in units of the input; ≥ 0
  TORCH_ARG(Norm, norm) = Norm::kLinf;
  TORCH_ARG(torch::Tensor,
            eps_scale);  // L∞: radius of feature j is eps·scale_j; shapes as of per_feature; undefined: 1
};

/// The fast gradient sign method (Goodfellow et al. 2015): one step of length eps from x, then a clamp to the bounds:
///   u = clamp(x + eps·sign ∇l(x))   (L∞),     u = clamp(x + eps·∇l/‖∇l‖₂)   (L2).
class FgsmAttack : public Attack {
 public:
  explicit FgsmAttack(FgsmOptions options = FgsmOptions());
  std::string name() const override { return "fgsm"; }
  std::string measure() const override { return step_.measure(); }
  double eps() const override { return step_.eps(); }
  std::unique_ptr<BoundAttack> bind(Problem& problem, const std::optional<Bounds>& bounds) const override;

 private:
  PgdAttack step_;
};

}  // namespace arks
