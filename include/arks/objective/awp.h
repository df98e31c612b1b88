#pragma once
#include <arks/objective/objective.h>
#include <torch/arg.h>

#include <memory>

namespace arks {

struct AwpOptions {
  AwpOptions() = default;
  TORCH_ARG(double, gamma) = 0.01;  // how far a weight tensor is moved, in units of its own norm; ≥ 0
};

/// Adversarial weight perturbation (Wu, Xia, Wang, "Adversarial Weight Perturbation Helps Robust Generalization", 2020)
/// on top of any method. Every step of the weights is taken where the method's value F, its points u* held fixed, is
/// worse nearby:
///   v = γ·‖w‖·g/‖g‖ for every weight tensor w, g = ∇_w F(θ),      step from θ + v with ∇F(θ + v),      then − v.
/// Only tensors of more than one dimension move: the weights of dense layers and convolutions, not biases or batch
/// norm, as in the authors' code. The extra pass leaves batch-norm statistics and the random numbers of dropout as they
/// were. Clean figures and adversarial loss are those at θ; the surrogate is F(θ + v), which is what is minimised.
/// About twice the price of the step of the weights, none of the search for u*.
///
/// γ = 0 is the method itself, bit for bit. A method that makes several steps on a batch (free) has each of them made
/// in this way; its perturbation follows the gradient at θ + v.
class Awp : public Objective {
 public:
  Awp(std::shared_ptr<const Objective> method, AwpOptions options = AwpOptions());
  std::string name() const override { return method_->name() + "+awp"; }
  std::string remedy() const override { return method_->remedy(); }
  /// operator() of what is returned, which makes no step, is the value of the method underneath.
  std::unique_ptr<Majorant> bind(Problem& problem) const override;

 private:
  std::shared_ptr<const Objective> method_;
  AwpOptions options_;
};

}  // namespace arks
