#include "attack/attack_method.h"
#include "settings/named_settings.h"
#include "support/text.h"

#include <arks/attack/attacks.h>
#include <arks/support/error.h>

namespace arks {

#define ARKS_ATTACK(name) AttackEntry name##_attack();
#include "attack/attacks.def"
#undef ARKS_ATTACK

const std::vector<AttackEntry>& attacks() {
#define ARKS_ATTACK(name) name##_attack(),
  static const std::vector<AttackEntry> table{
#include "attack/attacks.def"
  };
#undef ARKS_ATTACK
  return table;
}

std::vector<std::string> attack_names() {
  return names_of(attacks());
}

std::unique_ptr<Attack> make_attack(const std::string& attack, double eps, const SettingValues& settings,
                                    const Dataset& samples) {
  return with_named_settings([&] {
    const auto made = make_chosen("attack", attacks(), attack, settings);
    made->prepare(published_settings(samples.info()));
    made->check_samples(samples);
    return made->make(eps);
  });
}

namespace {

class BoundShift : public BoundAttack {
 public:
  using Moved = std::function<torch::Tensor(const torch::Tensor&, torch::Generator&)>;
  BoundShift(std::optional<Bounds> bounds, Moved moved) : bounds_(std::move(bounds)), moved_(std::move(moved)) {}

  AttackResult perturb(const torch::Tensor& x, const torch::Tensor& /*y*/, torch::Generator& generator) override {
    if (bounds_) check_within(*bounds_, x, "attack: inputs");
    const auto u = moved_(x, generator);
    return {bounds_ ? bounds_->clamp(u) : u, 0};
  }

 private:
  std::optional<Bounds> bounds_;
  Moved moved_;
};

}  // namespace

std::unique_ptr<BoundAttack> bind_shift(const std::optional<Bounds>& bounds, BoundShift::Moved moved) {
  return std::make_unique<BoundShift>(bounds, std::move(moved));
}

}  // namespace arks
