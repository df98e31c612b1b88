#include <arks/attack/scaling.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

Scaling::Scaling(ScalingOptions options) : options_(options) {
  ARKS_CHECK(std::isfinite(options_.eps()) && options_.eps() >= -1, "scale: eps must be finite and at least -1, got ",
             options_.eps());
}

AttackResult Scaling::perturb(Problem& /*problem*/, const torch::Tensor& x, const torch::Tensor& /*y*/,
                              const std::optional<Bounds>& bounds, torch::Generator& /*generator*/) const {
  if (bounds) check_within(*bounds, x, "attack: inputs");
  const auto u = x.detach() * (1 + options_.eps());
  return {bounds ? bounds->clamp(u) : u, 0};
}

}  // namespace arks
