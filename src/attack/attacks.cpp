#include "attack/attack_method.h"
#include "settings/named_settings.h"
#include "support/text.h"

#include <arks/attack/attacks.h>
#include <arks/support/error.h>

#include <algorithm>

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
    made->look_at(samples.info());
    made->check_samples(samples);
    return made->make(eps);
  });
}

std::string own_units(const DatasetInfo& info) {
  if (!info.features.empty() || info.input_mean.defined()) return "the units of the columns, the same for each";
  return info.bounds ? "units of the inputs, which are " + to_string(*info.bounds) : "units of the inputs";
}

std::string input_units(const DatasetInfo& info) {
  return info.input_mean.defined() ? "standard deviations of the training rows" : own_units(info);
}

std::string AttackMethod::eps_unit() const {
  const auto is_switch = [](const Feature& feature) { return !feature.quantity; };
  const bool switches = std::any_of(data_.features.begin(), data_.features.end(), is_switch);
  return input_units(data_) + (switches ? "; inputs that are 0 or 1 may move by eps, too" : "");
}

torch::Tensor feature_mask(const DatasetInfo& info, bool dates) {
  std::vector<double> mask;
  for (const auto& feature : info.features) mask.push_back(feature.quantity && (dates || !feature.date) ? 1 : 0);
  return torch::tensor(mask, torch::kDouble);
}

torch::Tensor user_units(const DatasetInfo& info) {
  if (!info.input_mean.defined() && info.features.empty()) return {};
  const auto mask = info.features.empty() ? torch::ones(info.input_shape, torch::kDouble)
                                          : feature_mask(info, /*dates=*/true).reshape(info.input_shape);
  return info.input_deviation.defined() ? mask / info.input_deviation : mask;
}

torch::Tensor in_user_units(const DatasetInfo& info, const torch::Tensor& factors) {
  const auto units = user_units(info);
  if (!units.defined() || !factors.defined()) return units.defined() ? units : factors;
  return units * (factors.numel() == 1 ? factors.reshape({}) : factors.reshape(units.sizes()));
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
