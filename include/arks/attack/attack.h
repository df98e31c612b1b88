#pragma once
#include <arks/inner/constraint.h>
#include <arks/problem/problem.h>

#include <optional>
#include <string>

namespace arks {

/// Samples moved to where the model errs.
struct AttackResult {
  torch::Tensor inputs;        ///< [n,...] within the bounds
  int64_t zero_gradients = 0;  ///< samples that met a gradient of exactly zero, from every start
};

/// Perturbs samples so that a model errs on them. The model runs in evaluation mode and is left as it was. A shift is
/// an attack that does not look at the model: it moves the samples alike whoever is tested.
class Attack {
 public:
  virtual ~Attack() = default;
  virtual std::string name() const = 0;
  /// What eps measures: "linf", "l2", or "sigma", the bandwidth of a kernel. Empty for a shift.
  virtual std::string measure() const = 0;
  /// Radius: no sample moves further than this in the norm, or than this times its scale in a feature that has one. For
  /// a shift its strength, for a kernel its bandwidth.
  virtual double eps() const = 0;
  bool is_shift() const { return measure().empty(); }

  /// x [n,...] within the bounds (Error otherwise), y [n,...]; whatever is random is drawn from the generator.
  virtual AttackResult perturb(Problem& problem, const torch::Tensor& x, const torch::Tensor& y,
                               const std::optional<Bounds>& bounds, torch::Generator& generator) const = 0;
};

}  // namespace arks
