#pragma once
// A method of training as the tool, its files and the docs know it: settings, checks, and how it is made.
#include "data/published.h"
#include "settings/choice.h"

#include <arks/objective/objective.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// What a method may look at when its objective is made.
struct MethodContext {
  const Dataset& train_set;      ///< its inputs, for costs that are estimated from them
  std::optional<Bounds> bounds;  ///< valid range of the inputs
};

/// The certificate that goes with a method: which mean it bounds under a shift, how far a shift is measured, and by
/// which number its strength is chosen.
struct CertificateForm {
  bool of_log_loss = false;  ///< of ln l instead of l
  std::string cost;          ///< usual one
  bool takes_sigma = false;  ///< a bandwidth: of the certificate, or of the kernel in the cost
  bool takes_gamma = false;  ///< what multiplies the cost, 1/τ
  bool of_kernel = false;    ///< the cost is 1 − k: bounded, so that a domain is needed
};

/// The setting that says how far a method reaches, and what it counts.
struct GuardStrength {
  const AnySetting* setting;
  GuardScale scale;
  std::string guard = "";  ///< the flag that says how strong the method guards, where this one only says what is near
};

/// A method and its settings: declared as members, groups that several methods share among them. Each method stands in
/// the file of its objective and has one line in methods.def.
class Method : public SettingGroup {
 public:
  Method() : SettingGroup("Method") {}

  /// The defaults that hold for the data set.
  const PublishedSettings& published() const { return published_; }

  /// Checks what was given and fills in the rest; returns what is worth saying of it, "sigma 0.5".
  std::vector<std::string> prepare(const PublishedSettings& published);
  /// Fills in what can be, however wrong or incomplete the rest is.
  void fill_without_checks(const PublishedSettings& published);

  /// About what a step on a batch costs, in forward and backward passes of it, when everything is filled in.
  virtual double passes() const = 0;
  /// False for a method without an inner maximisation.
  virtual bool maximizes() const { return true; }
  /// Nothing for a method whose surrogate certifies nothing.
  virtual std::optional<CertificateForm> certificate() const { return std::nullopt; }
  /// How far it reaches. Nothing for a method without such a setting, and for kernels and costs whose strength is
  /// another one.
  virtual std::optional<GuardStrength> strength() const { return std::nullopt; }
  /// True for the method that others are compared with.
  virtual bool is_baseline() const { return false; }
  /// Why no sample of so many inputs may have moved and what to change, for a warning when none has. Only methods that
  /// report a cost are asked.
  virtual std::string how_to_move(int64_t /*inputs*/) const { return ""; }
  /// Why the surrogate may be far below the clean loss, which it should be above, and what to change; "" for methods
  /// with which it cannot be, or means something else.
  virtual std::string how_to_stay_near() const { return ""; }
  /// Puts in what the method is published with where that differs from the data set's own: epochs, decay of the rate.
  /// Called when its own settings are known; only defaults change.
  virtual void adapt(PublishedSettings& /*outer*/) const {}
  /// A sentence about settings that are allowed but rarely meant; empty when there is none.
  virtual std::string advice() const { return ""; }
  /// Throws Error when samples lie where the method cannot have them. The tool calls it before anything is written.
  virtual void check_samples(const Dataset& /*train_set*/) const {}

  virtual std::unique_ptr<Objective> make(const MethodContext& context) const = 0;

 protected:
  /// Throws Error when what was given does not go together, or something is missing. Nothing is filled in yet.
  virtual void check_given() const {}
  /// The same when everything is known.
  virtual void check_filled() const {}
  /// A step of the ascent in a ball: the usual one of the data set with its usual radius and number of steps, else
  /// surface_step. Nothing without a radius.
  std::optional<double> ball_step(std::optional<double> eps, int64_t steps) const;
  /// Where neither the paper nor the data give a strength, the user must: Error unless one was given.
  void need_strength(const char* method, const char* flags, bool given) const;

 private:
  PublishedSettings published_ = published_for_images();
};

using MethodEntry = Choosable<Method>;

/// Something that can be put on top of any method, and its settings. Each stands in the file of its objective and has
/// one line in methods.def.
class MethodWrapper : public SettingGroup {
 public:
  MethodWrapper() : SettingGroup("On top of any method") {}
  /// Whether its settings ask for it.
  virtual bool is_on() const = 0;
  virtual std::unique_ptr<Objective> wrap(std::unique_ptr<Objective> method) const = 0;
  /// What it adds to Method::passes when it is on.
  virtual double passes() const = 0;
};

using WrapperEntry = Choosable<MethodWrapper>;

/// The tables, in the order of methods.def.
const std::vector<MethodEntry>& methods();
const std::vector<WrapperEntry>& method_wrappers();

/// One of each.
std::vector<std::unique_ptr<MethodWrapper>> make_wrappers();
/// The objective of the method, with what is on on top of it.
std::unique_ptr<Objective> make_objective(const Method& method,
                                          const std::vector<std::unique_ptr<MethodWrapper>>& wrappers,
                                          const MethodContext& context);

}  // namespace arks
