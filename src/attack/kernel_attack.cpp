#include <arks/attack/kernel_attack.h>
#include <arks/inner/maximizer.h>
#include <arks/kernel/kernel.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

KernelAttack::KernelAttack(double sigma, AscentOptions ascent) : sigma_(sigma), ascent_(std::move(ascent)) {
  ARKS_CHECK(std::isfinite(sigma_) && sigma_ >= 0, "arks attack: eps, the bandwidth, must be finite and not negative, ",
             "got ", sigma_);
  check(ascent_);
}

AttackResult KernelAttack::perturb(Problem& problem, const torch::Tensor& x, const torch::Tensor& y,
                                   const std::optional<Bounds>& bounds, torch::Generator& /*generator*/) const {
  if (bounds) check_within(*bounds, x, "attack: inputs");
  if (sigma_ == 0) return {x, 0};
  const GaussianKernel kernel(sigma_);
  // the logarithm does not underflow far from x
  const auto climbed = std::make_shared<LogKernelProduct>(kernel.temperature());
  const auto found =
      make_maximizer(problem, climbed, kernel.cost(), ascent_, make_domain(std::nullopt))->maximize(x, y);
  AttackResult result;
  result.inputs = bounds ? bounds->clamp(found.u) : found.u;
  result.zero_gradients = found.count(Termination::kZeroGradient);
  return result;
}

}  // namespace arks
