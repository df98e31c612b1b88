#pragma once
#include <arks/inner/constraint.h>
#include <torch/arg.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

namespace arks {

/// How a step is made from a gradient.
enum class AscentRule {
  kSgd,         ///< v ← μv + g, u ← u + αv (momentum μ)
  kAdam,        ///< Kingma and Ba 2015
  kAmsgrad,     ///< Reddi et al. 2018; what the paper used
  kSign,        ///< u ← u + α s sign(g): steepest ascent in L∞; s = 1 or the step scale of the feature
  kNormalized,  ///< u ← u + α g/‖g‖₂ per sample: steepest ascent in L2
  kLbfgs,       ///< u ← u + t H g, H from the curvature seen so far, t by line search; Liu and Nocedal 1989
};

/// Which iterate of a sample is returned.
enum class InnerReturn {
  kBest,  ///< the first with the largest φ, the start included: then the surrogate is a majorant
  kLast,  ///< the last one, as published; it can lie below the loss at the start
};

/// In which mode the network runs during the inner loop.
enum class InnerMode {
  kEval,   ///< batch norm with its running statistics, which stay untouched; no dropout
  kTrain,  ///< as published: batch statistics, and the running ones move once with every step of every start; dropout
};

struct AscentOptions {
  AscentOptions() = default;
  TORCH_ARG(AscentRule, rule) = AscentRule::kAmsgrad;
  TORCH_ARG(int64_t, steps) = 15;                // ≥ 0
  TORCH_ARG(double, learning_rate) = 0.01;       // α, > 0, in units of the input; kLbfgs: the length tried first
  TORCH_ARG(bool, learning_rate_decay) = false;  // α/√t in step t = 1, 2, …
  TORCH_ARG(torch::Tensor, step_scale);          // of kSign: a factor per feature, see per_feature; undefined: 1
  TORCH_ARG(double, momentum) = 0.9;             // of kSgd; in [0,1)
  TORCH_ARG(int64_t, history) = 10;              // of kLbfgs: pairs (step, change of gradient) kept; > 0
  TORCH_ARG(double, tolerance) = 0;              // a sample stops when max |followable ∇φ| ≤ this; 0: never
  TORCH_ARG(InnerReturn, returned) = InnerReturn::kBest;
  // false, with kLast: u is the last iterate as long as it is finite, and values, losses and costs are those of the one
  // before it; a forward pass less
  TORCH_ARG(bool, measures_last) = true;
  TORCH_ARG(InnerMode, mode) = InnerMode::kEval;
};

/// Throws Error naming the option that cannot be used.
void check(const AscentOptions& options);

/// The state of one ascent on a batch: moments live as long as this object. Every sample moves by its own gradient
/// alone, so the result for a sample does not depend on what else is in the batch.
class Ascent {
 public:
  explicit Ascent(const AscentOptions& options) : options_(options) {}
  virtual ~Ascent() = default;

  /// u + the step; `step` counts from 0. u and gradient [n,...].
  torch::Tensor advance(const torch::Tensor& u, const torch::Tensor& gradient, int64_t step);

 protected:
  const AscentOptions options_;

 private:
  virtual torch::Tensor stepped(const torch::Tensor& u, const torch::Tensor& gradient, int64_t step, double rate) = 0;
};

/// kLbfgs is none of these: it looks before it steps, and only make_maximizer can run it.
std::unique_ptr<Ascent> make_ascent(const AscentOptions& options);

/// The rule of steepest ascent in that norm: kSign for L∞, kNormalized for L2.
AscentRule steepest_rule(Norm norm);

/// "sgd", "adam", "amsgrad", "sign", "normalized", "lbfgs"
AscentRule parse_ascent_rule(const std::string& name);
std::vector<std::string> ascent_rule_names();

}  // namespace arks
