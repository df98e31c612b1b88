#pragma once
// An attack as the tool, its files and the docs know it: settings, checks, and how it is made for a strength.
#include "data/published.h"
#include "objective/method_settings.h"
#include "settings/choice.h"

#include <arks/attack/attack.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// An attack and its settings. Each stands in the file of its attack and has one line in attacks.def.
class AttackMethod : public SettingGroup {
 public:
  AttackMethod() : SettingGroup("Attack") {}

  /// The defaults that hold for the data set.
  const PublishedSettings& published() const { return published_; }
  /// Fills in what was not given.
  void prepare(const PublishedSettings& published) {
    published_ = published;
    fill();
  }

  /// Tells what the samples are: their scaling and the names of their features.
  void look_at(const DatasetInfo& info) {
    data_ = info;
    knows_samples_ = true;
  }
  /// That of no samples at all while nobody has told: settings are checked before data are read.
  const DatasetInfo& data() const { return data_; }
  bool knows_samples() const { return knows_samples_; }

  /// A shift looks at no model.
  virtual bool is_shift() const { return false; }
  /// Whether it draws random numbers, as its settings are.
  virtual bool draws() const { return false; }
  /// When it does not, for a note: " without --random-start".
  virtual std::string draws_when() const { return ""; }
  /// What eps is, on the axis of a figure; empty for the radius of a ball.
  virtual std::string strength() const { return ""; }
  /// The same in short, before the number in a title: "linf eps".
  virtual std::string strength_label() const { return "eps"; }
  /// What eps counts, for the line below a table: "standard deviations of the training rows".
  virtual std::string eps_unit() const;
  /// What the settings of a shift were taken for, for a line below a table: "drift: temperature +2.5"; or empty.
  virtual std::string understood() const { return ""; }
  /// The strengths where none are given.
  virtual std::string usual_strengths() const { return "0:0.3:0.05"; }
  /// A sentence about settings that are allowed but rarely meant; empty when there is none.
  virtual std::string advice(double /*largest_eps*/) const { return ""; }
  /// Throws Error when the settings do not fit such samples.
  virtual void check_samples(const Dataset& /*samples*/) const {}
  /// The attack of this strength. Throws Error for one it cannot have.
  virtual std::unique_ptr<Attack> make(double eps) const = 0;

 private:
  PublishedSettings published_ = published_for_images();
  DatasetInfo data_;
  bool knows_samples_ = false;
};

/// 1 for features that are quantities, 0 for those that are 0 or 1 and, unless asked for, for dates. [features]
torch::Tensor feature_mask(const DatasetInfo& info, bool dates);

/// What one of the user's units is on the scale of the samples, for each feature, 0 for those that cannot drift; of
/// samples without scaling and names undefined, which means 1 everywhere.
torch::Tensor user_units(const DatasetInfo& info);

/// What numbers count: those of the user, and those that a model takes.
std::string own_units(const DatasetInfo& info);
std::string input_units(const DatasetInfo& info);

/// Factors per feature, undefined for 1, as factors for samples on their scale.
torch::Tensor in_user_units(const DatasetInfo& info, const torch::Tensor& factors);

using AttackEntry = Choosable<AttackMethod>;

/// The table, in the order of attacks.def.
const std::vector<AttackEntry>& attacks();

/// A ball whose radius is eps.
class BallAttackSettings : public SettingGroup {
 public:
  explicit BallAttackSettings(AttackMethod* attack)
      : SettingGroup(attack, attack->title()), norm(this, norm_setting()), eps_scale(this, eps_scale_setting()) {}

  Setting<std::string> norm;
  Setting<NumberList> eps_scale;
};

/// Steps of an ascent. Without an alpha the step follows from eps, as `by_eps` says in words.
class AscentAttackSettings : public SettingGroup {
 public:
  AscentAttackSettings(AttackMethod* attack, std::function<int64_t()> usual_steps,
                       std::function<std::optional<double>()> usual_alpha, std::string by_eps)
      : SettingGroup(attack, attack->title()),
        steps(this, whole("steps", "ascent steps").unit("steps").positive().otherwise([usual = std::move(usual_steps)] {
          return std::optional(usual());
        })),
        alpha(this, real("alpha", "step size")
                        .unit("input units")
                        .positive()
                        .otherwise(std::move(usual_alpha))
                        .default_words(std::move(by_eps))) {}

  Setting<int64_t> steps;
  Setting<double> alpha;
};

/// A shift as a bound attack: samples are checked against the bounds, moved, and clamped to them.
std::unique_ptr<BoundAttack> bind_shift(const std::optional<Bounds>& bounds,
                                        std::function<torch::Tensor(const torch::Tensor&, torch::Generator&)> moved);

}  // namespace arks
