#include <arks/attack/gaussian_noise.h>

#include "attack/attack_method.h"
#include "support/samples.h"

namespace arks {

GaussianNoise::GaussianNoise(GaussianNoiseOptions options) : options_(options) {
  make_ball(Norm::kLinf, options_.eps(), std::nullopt, options_.eps_scale());  // checks both
}

std::unique_ptr<BoundAttack> GaussianNoise::bind(Problem& /*problem*/, const std::optional<Bounds>& bounds) const {
  return bind_shift(bounds, [options = options_](const torch::Tensor& x, torch::Generator& generator) {
    auto noise = torch::empty(x.sizes(), x.options()).normal_(0, 1, generator);
    if (options.eps_scale().defined()) noise.mul_(per_feature(options.eps_scale(), x, "eps scale"));
    return x.detach().add(noise, options.eps());
  });
}

namespace {

class GaussianNoiseMethod : public AttackMethod {
 public:
  Setting<NumberList> eps_scale{this, numbers("eps-scale", "factor for eps per feature; 0 keeps it fixed")};

  bool is_shift() const override { return true; }
  bool draws() const override { return true; }
  std::string strength() const override { return "deviation s of the noise, x + s·normal(0,1)"; }
  std::string eps_unit() const override { return own_units(data()); }
  void check_samples(const Dataset& samples) const override { check_factors(eps_scale, samples); }
  std::unique_ptr<Attack> make(double eps) const override {
    const auto factors = in_user_units(data(), to_factors(eps_scale));
    return std::make_unique<GaussianNoise>(GaussianNoiseOptions().eps(eps).eps_scale(factors));
  }
};

}  // namespace

AttackEntry gaussian_attack() {
  return {"gaussian", "a shift: x + eps*normal(0,1), in your own units",
          [] { return std::make_unique<GaussianNoiseMethod>(); }};
}

}  // namespace arks
