#pragma once
#include <arks/inner/ascent.h>
#include <arks/inner/constraint.h>
#include <arks/inner/inner_objective.h>
#include <arks/kernel/cost.h>
#include <arks/problem/problem.h>

#include <cstdint>
#include <memory>
#include <string>

namespace arks {

/// Why the ascent of a sample ended. In no case are the problem's parameters touched.
enum class Termination : uint8_t {
  kStepLimit,          ///< all steps were made
  kGradientTolerance,  ///< no entry of ∇φ that can be followed within the set is above the tolerance
  kZeroGradient,       ///< ∇φ is exactly zero: a stationary point, or a masked gradient
  kNotFinite,          ///< φ, its gradient or u became infinite or NaN; a finite iterate before is returned, if any
  kNoProgress,         ///< kLbfgs: no step along the search direction raised φ any more, within the set and rounding
};

/// What the maximisation found, sample by sample.
struct InnerResult {
  torch::Tensor u;                        ///< [n,...] the maximiser found, no graph
  torch::Tensor values;                   ///< [n] φ at u
  torch::Tensor losses;                   ///< [n] l(θ,u)
  torch::Tensor costs;                    ///< [n] c(u,x); zeros when there is no cost
  torch::Tensor start_losses;             ///< [n] l(θ,start): the clean loss when the start is x
  torch::Tensor start_wrong;              ///< [n] bool, misclassified at the start; may be undefined (see Evaluation)
  std::vector<Termination> terminations;  ///< n of them

  int64_t count(Termination termination) const;

  /// Takes over the samples for which another ascent on the same batch found a larger φ. What was measured at the start
  /// stays.
  void take_better(const InnerResult& other);
};

/// What stands behind a Maximizer. With a compiled one it is known after the first batch.
struct MaximizerInfo {
  bool compiled = false;        ///< on a plan of the engine; else on libtorch
  std::string why_not;          ///< what could not be compiled and why; empty when nothing was tried
  int64_t workspace_bytes = 0;  ///< memory of the plan, 0 without one
};

/// Maximises φ(l(θ,u), c(u,x)) over u for every sample of a batch. Takes gradients for u only: parameters, their .grad
/// and requires_grad and all modes are as before when it returns, also on an exception; batch-norm statistics too,
/// unless InnerMode::kTrain asks for them to move: then once with each step that looks at a gradient, so `steps` times.
class Maximizer {
 public:
  virtual ~Maximizer() = default;

  /// x [n,...], y [n,...]; `start` [n,...] in the constraint set, x itself when undefined.
  virtual InnerResult maximize(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& start = {}) = 0;

  virtual MaximizerInfo info() const { return {}; }
};

/// The problem must outlive the maximizer. `cost` may be null for an objective that does not look at it.
std::unique_ptr<Maximizer> make_maximizer(Problem& problem, InnerObjectivePtr objective, CostPtr cost,
                                          const AscentOptions& ascent, ConstraintPtr constraint);

}  // namespace arks
