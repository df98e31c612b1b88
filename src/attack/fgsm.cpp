#include "attack/attack_method.h"

#include <arks/attack/fgsm.h>

namespace arks {

namespace {

PgdOptions one_step(const FgsmOptions& options) {
  // a step size must be positive; with eps = 0 there is no step
  return PgdOptions()
      .eps(options.eps())
      .norm(options.norm())
      .eps_scale(options.eps_scale())
      .steps(1)
      .alpha(options.eps() > 0 ? options.eps() : 1);
}

}  // namespace

FgsmAttack::FgsmAttack(FgsmOptions options) : step_(one_step(options)) {}

std::unique_ptr<BoundAttack> FgsmAttack::bind(Problem& problem, const std::optional<Bounds>& bounds) const {
  return step_.bind(problem, bounds);
}

namespace {

class FgsmMethod : public AttackMethod {
 public:
  BallAttackSettings ball{this};

  std::string strength_label() const override { return *ball.norm + " eps"; }
  void check_samples(const Dataset& samples) const override { check_factors(ball.eps_scale, samples); }
  std::unique_ptr<Attack> make(double eps) const override {
    return std::make_unique<FgsmAttack>(
        FgsmOptions().eps(eps).norm(parse_norm(*ball.norm)).eps_scale(to_factors(ball.eps_scale)));
  }
};

}  // namespace

AttackEntry fgsm_attack() {
  return {"fgsm", "one step of length eps along the gradient", [] { return std::make_unique<FgsmMethod>(); }};
}

}  // namespace arks
