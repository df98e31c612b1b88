#include <arks/attack/uniform_noise.h>

#include "attack/attack_method.h"
#include "support/samples.h"

namespace arks {

UniformNoise::UniformNoise(UniformNoiseOptions options) : options_(options) {
  make_ball(Norm::kLinf, options_.eps(), std::nullopt, options_.eps_scale());  // checks both
}

std::unique_ptr<BoundAttack> UniformNoise::bind(Problem& /*problem*/, const std::optional<Bounds>& bounds) const {
  return bind_shift(bounds, [options = options_](const torch::Tensor& x, torch::Generator& generator) {
    // not empty_like, so that the draws follow the order of the values whatever the layout of x
    auto noise = torch::empty(x.sizes(), x.options()).uniform_(-1, 1, generator);
    if (options.eps_scale().defined()) noise.mul_(per_feature(options.eps_scale(), x, "eps scale"));
    return x.detach().add(noise, options.eps());
  });
}

namespace {

class UniformNoiseMethod : public AttackMethod {
 public:
  Setting<NumberList> eps_scale{this, numbers("eps-scale", "factor for eps per feature; 0 keeps it fixed")};

  bool is_shift() const override { return true; }
  bool draws() const override { return true; }
  std::string strength() const override { return "strength d of the noise, x + d·uniform(−1,1)"; }
  std::string eps_unit() const override { return own_units(data()); }
  void check_samples(const Dataset& samples) const override { check_factors(eps_scale, samples); }
  std::unique_ptr<Attack> make(double eps) const override {
    return std::make_unique<UniformNoise>(
        UniformNoiseOptions().eps(eps).eps_scale(in_user_units(data(), to_factors(eps_scale))));
  }
};

}  // namespace

AttackEntry uniform_attack() {
  return {"uniform", "a shift: x + eps*uniform(-1,1), in your own units",
          [] { return std::make_unique<UniformNoiseMethod>(); }};
}

}  // namespace arks
