#pragma once
#include <arks/engine/network.h>
#include <arks/model/model.h>
#include <arks/problem/criterion.h>
#include <arks/problem/problem.h>

namespace arks {

/// A model and a criterion: l(θ,u) = criterion(model_θ(u), y). The model is shared, not copied, and runs on a compiled
/// plan where there can be one; Engine::kLibtorch keeps it on libtorch.
class SupervisedProblem : public Problem {
 public:
  SupervisedProblem(Model model, const Criterion& criterion, Engine engine = Engine::kAuto);

  torch::Tensor per_sample_loss(const torch::Tensor& u, const torch::Tensor& y) override;
  Evaluation evaluate(const torch::Tensor& u, const torch::Tensor& y, bool with_log_loss = false) override;
  /// Predictions [n,...] in whatever mode the model is in. Throws Error, in one line, where libtorch cannot compute
  /// them: samples of another type than the weights, say, or of another shape.
  torch::Tensor predict(const torch::Tensor& u) override;
  Evaluation evaluate_prediction(const torch::Tensor& prediction, const torch::Tensor& y) override;
  bool has_classes() const override { return criterion_->judges_classes(); }
  std::unique_ptr<Problem> with_criterion(const Criterion& criterion) override;
  std::vector<torch::Tensor> parameters() override { return model().parameters(); }
  NamedTensors state() override { return model().state(); }
  std::string architecture() const override { return model().architecture(); }
  std::vector<bool> training_modes() const override { return model().training_modes(); }
  void set_training_modes(const std::vector<bool>& modes) override { model().set_training_modes(modes); }
  void train(bool on) override { model().train(on); }

  const Model& model() const { return network_.model(); }
  const engine::Network& network() const { return network_; }
  const Criterion& criterion() const { return *criterion_; }

 private:
  SupervisedProblem(engine::Network network, const Criterion& criterion);
  torch::Tensor checked_losses(const torch::Tensor& prediction, const torch::Tensor& y) const;

  engine::Network network_;
  std::shared_ptr<Criterion> criterion_;
};

}  // namespace arks
