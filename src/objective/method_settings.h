#pragma once
// Groups of settings that several methods share: how far a point is from a sample, where it may lie, how it is found.
#include "objective/method.h"

#include <arks/inner/ascent.h>
#include <arks/inner/constraint.h>
#include <arks/kernel/kernel.h>

namespace arks {

/// The cost c(u,x) and what it takes.
class CostSettings : public SettingGroup {
 public:
  /// `otherwise` is the cost where none is given; it may depend on the settings before it.
  CostSettings(SettingGroup* parent, std::function<std::optional<std::string>()> otherwise);

  Setting<std::string> cost;
  Setting<std::string> mahalanobis;
  Setting<double> mahalanobis_ridge;

  bool is_mahalanobis() const { return cost.value_or("") == "mahalanobis"; }
  void check() const;
  /// The inputs are looked at when a Mahalanobis matrix is estimated.
  CostPtr make(const Dataset& train_set) const;
};

/// k = exp(−c/τ).
class KernelSettings : public SettingGroup {
 public:
  explicit KernelSettings(Method* method);

  Setting<std::string> kernel;
  Setting<double> sigma, temperature, imq_scale;
  CostSettings cost{this, [this] { return usual_cost(); }};

  /// Throws Error unless the kernel's parameters are there and no others.
  void check() const;
  /// The bandwidth has to come from the published values: none was given, and the kernel takes one.
  bool lacks_bandwidth() const;
  /// A method with this kernel reaches as far as a Gaussian one is wide.
  std::optional<GuardStrength> strength() const;
  /// It does not fade fast enough for a supremum over all of space: what is to blame, or nothing.
  std::string endless() const;
  Kernel make(const Dataset& train_set) const;
  /// The bandwidth of a Gaussian kernel; none for others.
  std::optional<double> bandwidth() const;

 private:
  std::string chosen() const;
  std::optional<std::string> usual_cost() const;
};

/// The compact set that u is searched in.
class DomainSettings : public SettingGroup {
 public:
  explicit DomainSettings(SettingGroup* parent);

  Setting<RangeList> domain;

  /// Throws Error naming `who` when there is none.
  void need(const std::string& who) const;
  std::optional<Bounds> bounds() const;
  void check_samples(const Dataset& train_set) const;
};

/// The inner maximisation.
class InnerSettings : public SettingGroup {
 public:
  /// Whether the rule can be chosen, or follows from the norm of a ball.
  enum class Rule { kChosen, kSteepest };
  /// `rate` is the default step of rules that are given none, nothing where it is not known; without `steps` their
  /// number is the paper's.
  InnerSettings(Method* method, Rule rule, std::function<std::optional<double>()> rate,
                std::function<int64_t()> steps = {});

  Setting<int64_t> steps;
  std::optional<Setting<std::string>> rule;
  Setting<double> rate;
  Setting<bool> rate_decay;
  Setting<double> tolerance;
  Setting<std::string> returned, mode;

  AscentOptions options() const;
  /// The default step on the user's own images: with it six steps or more together go twice as far as `length`, however
  /// many inputs there are. A step of rules that move every input alike is √d times as long as its rate, so that a rate
  /// for small images leaves the kernel of large ones at once, and no sample moves. Nothing where the strength, and so
  /// the length, is only known when the data are read. `otherwise` on other data, and where there is no
  /// length or the rule is sgd, whose steps are as long as the gradient.
  std::optional<double> step_for(std::optional<double> length, const PublishedSettings& published,
                                 double otherwise) const;
  /// How long a first step is in samples of so many inputs; none for rules that do not say.
  std::optional<double> first_step(int64_t inputs) const;
  /// L-BFGS shortens a step that is too long by itself.
  bool searches_lines() const;
  /// One for every step.
  double passes() const { return static_cast<double>(*steps); }
};

/// Several starts of the ascent, in methods that search all of a domain.
class RestartSettings : public SettingGroup {
 public:
  explicit RestartSettings(SettingGroup* inner);

  Setting<int64_t> count;

  double passes(const InnerSettings& inner) const { return static_cast<double>(*count) * inner.passes(); }
};

/// A ball around each sample.
class BallSettings : public SettingGroup {
 public:
  /// Whether the norm can be chosen, or is L∞.
  enum class Norms { kAll, kLinf };
  /// `radius` is the default where the data set has strengths.
  BallSettings(Method* method, Norms norms, std::function<double()> radius);

  Setting<double> eps;
  Setting<NumberList> eps_scale;
  std::optional<Setting<std::string>> norm;

  /// The options that every ball has; of type Options there must be eps() and eps_scale().
  template <typename Options>
  Options apply(Options options) const {
    return options.eps(*eps).eps_scale(factors());
  }

  torch::Tensor factors() const;
  std::optional<GuardStrength> strength() const;
  /// Throws Error when there are not as many factors as features.
  void check_samples(const Dataset& train_set) const;
};

/// Why no sample has moved: steps that are too long for a method that reaches so far (`length`, where it is known),
/// else its strength, as `otherwise` says ("--sigma is too small"), or a gradient that is zero.
std::string how_to_move(const InnerSettings& inner, const std::string& otherwise, std::optional<double> length,
                        int64_t inputs);

/// Why points were found at which what is maximised is lower than at the samples, and what to change; "" where only the
/// best iterate is kept, so that there are none.
std::string how_to_stay_near(const InnerSettings& inner);

/// "15 steps of 0.001 reach 0.015, not eps 0.3" where an ascent from the sample cannot reach the surface; else "".
std::string falls_short(const InnerSettings& inner, const BallSettings& ball);

/// "eval", "train"
InnerMode parse_inner_mode(const std::string& word);
/// The setting --inner-mode.
Declaration<std::string> inner_mode_setting();
/// True for a method that has it, and climbs in evaluation mode.
bool climbs_in_evaluation_mode(const SettingGroup& method);

/// Settings of balls and of inputs, the same for methods and attacks.
Declaration<std::string> norm_setting();
Declaration<NumberList> eps_scale_setting();
Declaration<bool> random_start_setting();
Declaration<RangeList> bounds_setting();

/// Ranges as bounds; errors name the flag.
Bounds to_bounds(const RangeList& ranges, const std::string& flag);
RangeList to_ranges(const Bounds& bounds);

/// Factors as [d] float64; undefined where none were given.
torch::Tensor to_factors(const Setting<NumberList>& setting);
void check_factors(const Setting<NumberList>& setting, const Dataset& samples);

}  // namespace arks
