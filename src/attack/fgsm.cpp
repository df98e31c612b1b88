#include <arks/attack/fgsm.h>

namespace arks {

namespace {

PgdOptions one_step(const FgsmOptions& options) {
  // a step size must be positive; with eps = 0 the projection undoes the step
  return PgdOptions()
      .eps(options.eps())
      .norm(options.norm())
      .eps_scale(options.eps_scale())
      .steps(1)
      .alpha(options.eps() > 0 ? options.eps() : 1);
}

}  // namespace

FgsmAttack::FgsmAttack(FgsmOptions options) : step_(one_step(options)) {}

AttackResult FgsmAttack::perturb(Problem& problem, const torch::Tensor& x, const torch::Tensor& y,
                                 const std::optional<Bounds>& bounds, torch::Generator& generator) const {
  return step_.perturb(problem, x, y, bounds, generator);
}

}  // namespace arks
