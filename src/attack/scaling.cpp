#include "attack/attack_method.h"
#include "support/samples.h"

#include <arks/attack/scaling.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

Scaling::Scaling(ScalingOptions options) : options_(options) {
  ARKS_CHECK(std::isfinite(options_.eps()) && options_.eps() >= -1, "scale: eps must be finite and at least -1, got ",
             options_.eps());
}

std::unique_ptr<BoundAttack> Scaling::bind(Problem& /*problem*/, const std::optional<Bounds>& bounds) const {
  return bind_shift(bounds, [options = options_](const torch::Tensor& x, torch::Generator& /*generator*/) {
    auto change = x.detach();
    if (options.zero().defined()) change = change - per_feature(options.zero(), x, "zero");
    if (options.mask().defined()) change = change * per_feature(options.mask(), x, "mask");
    return x.detach() + options.eps() * change;
  });
}

namespace {

class ScalingMethod : public AttackMethod {
 public:
  bool is_shift() const override { return true; }
  std::string strength() const override { return "scaling Δ, (1+Δ)·x"; }
  std::string eps_unit() const override { return "fraction by which values grow"; }
  std::unique_ptr<Attack> make(double eps) const override {
    ScalingOptions options;
    if (data().input_mean.defined()) options.zero(-data().input_mean / data().input_deviation);
    if (!data().features.empty()) options.mask(feature_mask(data(), /*dates=*/false));
    return std::make_unique<Scaling>(options.eps(eps));
  }
};

}  // namespace

AttackEntry scale_attack() {
  return {"scale", "a shift: (1+eps)*x, in your own units", [] { return std::make_unique<ScalingMethod>(); }};
}

}  // namespace arks
