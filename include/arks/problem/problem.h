#pragma once
#include <arks/problem/criterion.h>
#include <arks/support/named_tensors.h>
#include <torch/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace arks {

/// What one pass over a batch of n samples tells.
struct Evaluation {
  torch::Tensor loss;      ///< [n] l(θ,u)
  torch::Tensor log_loss;  ///< [n] ln l(θ,u); defined only when it was asked for
  torch::Tensor wrong;     ///< [n] bool, misclassified; undefined where a problem knows no right and wrong
};

/// The learning problem as everything else sees it: a loss per sample, l(θ,u), differentiable in the input u [n,...]
/// and in the parameters θ. Objectives, attacks and certificates use nothing but this.
class Problem {
 public:
  virtual ~Problem() = default;

  /// u [n,...], y [n,...] → [n]. No mean is taken: that happens once, in the objective.
  virtual torch::Tensor per_sample_loss(const torch::Tensor& u, const torch::Tensor& y) = 0;

  /// Loss, and on request its logarithm, from one forward pass. The default takes the logarithm of the loss with a
  /// floor of 1e-30: a loss that is exactly zero has no logarithm. A negative loss is an Error then.
  virtual Evaluation evaluate(const torch::Tensor& u, const torch::Tensor& y, bool with_log_loss = false);

  /// The model's predictions [n,...] at u, and what they are worth: for objectives that look at the model and not only
  /// at its loss. Problems without a model throw Error.
  virtual torch::Tensor predict(const torch::Tensor& u);
  virtual Evaluation evaluate_prediction(const torch::Tensor& prediction, const torch::Tensor& y);

  /// True when predictions are logits [n,classes] and targets class numbers [n].
  virtual bool has_classes() const { return false; }

  /// The same model, weights, modes and plans under another criterion, whose targets may be of another kind. Problems
  /// without a model throw Error.
  virtual std::unique_ptr<Problem> with_criterion(const Criterion& criterion);

  /// θ, in a fixed order.
  virtual std::vector<torch::Tensor> parameters() = 0;

  /// Everything a checkpoint must hold to bring the model back: parameters and buffers, by name.
  virtual NamedTensors state();

  /// A word for the kind of model, checked when a checkpoint is loaded.
  virtual std::string architecture() const { return "custom"; }

  /// Training mode of each module, in a fixed order; empty for problems without modes.
  virtual std::vector<bool> training_modes() const { return {}; }
  virtual void set_training_modes(const std::vector<bool>& /*modes*/) {}
  /// Puts all modules into training (true) or evaluation mode.
  virtual void train(bool /*on*/) {}
};

/// Any callable (u, y) → per-sample losses as a problem. Without parameters it can be attacked, not trained.
class FunctionProblem : public Problem {
 public:
  using Function = std::function<torch::Tensor(const torch::Tensor& u, const torch::Tensor& y)>;
  explicit FunctionProblem(Function loss, std::vector<torch::Tensor> parameters = {});

  torch::Tensor per_sample_loss(const torch::Tensor& u, const torch::Tensor& y) override;
  std::vector<torch::Tensor> parameters() override { return parameters_; }

 private:
  Function loss_;
  std::vector<torch::Tensor> parameters_;
};

}  // namespace arks
