#pragma once
#include <arks/inner/constraint.h>
#include <arks/problem/problem.h>

#include <memory>
#include <optional>
#include <string>

namespace arks {

/// Samples moved to where the model errs.
struct AttackResult {
  torch::Tensor inputs;        ///< [n,...] within the bounds
  int64_t zero_gradients = 0;  ///< samples that met a gradient of exactly zero, from every start
};

/// An attack made ready for one model: what is worth keeping between batches, such as a maximizer, lives here.
class BoundAttack {
 public:
  virtual ~BoundAttack() = default;
  /// x [n,...] within the bounds (Error otherwise), y [n,...]; whatever is random is drawn from the generator.
  virtual AttackResult perturb(const torch::Tensor& x, const torch::Tensor& y, torch::Generator& generator) = 0;
};

/// Perturbs samples so that a model errs on them: a description, immutable; bind() makes it work on a problem. The
/// model runs in evaluation mode and is left as it was. A shift is an attack that does not look at the model: it moves
/// the samples alike whoever is tested.
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

  /// The problem must outlive what is returned. Bounds are the valid range of the inputs, where there is one.
  virtual std::unique_ptr<BoundAttack> bind(Problem& problem, const std::optional<Bounds>& bounds) const = 0;

  /// For a single batch: bound, then perturbed.
  AttackResult perturb(Problem& problem, const torch::Tensor& x, const torch::Tensor& y,
                       const std::optional<Bounds>& bounds, torch::Generator& generator) const {
    return bind(problem, bounds)->perturb(x, y, generator);
  }
};

}  // namespace arks
