#pragma once
#include <arks/model/model.h>
#include <arks/problem/criterion.h>
#include <arks/problem/problem.h>

namespace arks {

/// A model and a criterion: l(θ,u) = criterion(model_θ(u), y). The model is shared, not copied.
class SupervisedProblem : public Problem {
 public:
  SupervisedProblem(Model model, const Criterion& criterion);

  torch::Tensor per_sample_loss(const torch::Tensor& u, const torch::Tensor& y) override;
  Evaluation evaluate(const torch::Tensor& u, const torch::Tensor& y, bool with_log_loss = false) override;
  /// Predictions [n,...] in whatever mode the model is in.
  torch::Tensor predict(const torch::Tensor& u) override { return model_(u); }
  Evaluation evaluate_prediction(const torch::Tensor& prediction, const torch::Tensor& y) override;
  std::vector<torch::Tensor> parameters() override { return model_.parameters(); }
  NamedTensors state() override { return model_.state(); }
  std::string architecture() const override { return model_.architecture(); }
  std::vector<bool> training_modes() const override { return model_.training_modes(); }
  void set_training_modes(const std::vector<bool>& modes) override { model_.set_training_modes(modes); }
  void train(bool on) override { model_.train(on); }

  const Model& model() const { return model_; }
  const Criterion& criterion() const { return *criterion_; }

 private:
  Model model_;
  std::shared_ptr<Criterion> criterion_;
};

}  // namespace arks
