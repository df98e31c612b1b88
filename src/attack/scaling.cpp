#include "attack/attack_method.h"

#include <arks/attack/scaling.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

Scaling::Scaling(ScalingOptions options) : options_(options) {
  ARKS_CHECK(std::isfinite(options_.eps()) && options_.eps() >= -1, "scale: eps must be finite and at least -1, got ",
             options_.eps());
}

std::unique_ptr<BoundAttack> Scaling::bind(Problem& /*problem*/, const std::optional<Bounds>& bounds) const {
  return bind_shift(bounds, [factor = 1 + options_.eps()](const torch::Tensor& x, torch::Generator& /*generator*/) {
    return x.detach() * factor;
  });
}

namespace {

class ScalingMethod : public AttackMethod {
 public:
  bool is_shift() const override { return true; }
  std::string strength() const override { return "scaling Δ, (1+Δ)·x"; }
  std::unique_ptr<Attack> make(double eps) const override {
    return std::make_unique<Scaling>(ScalingOptions().eps(eps));
  }
};

}  // namespace

AttackEntry scale_attack() {
  return {"scale", "a shift: (1+eps)*x", [] { return std::make_unique<ScalingMethod>(); }};
}

}  // namespace arks
