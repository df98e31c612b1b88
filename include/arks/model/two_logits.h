#pragma once
#include <arks/model/graph.h>
#include <arks/model/model.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

namespace arks {

/// A network with one output z for two classes, x → z [n] or [n,1], as one with a logit for each: x → (−z/2, z/2).
/// Softmax of these is (1 − sigmoid(z), sigmoid(z)), so class 1 is where z > 0, and cross entropy is the logistic loss
///   l(z, y) = ln(1 + e^{(1−2y)z}),      |∂l/∂z| ≤ 1,   ∂²l/∂z² ≤ ¼.
/// What takes a logit for each class so needs to know nothing of this. Of equal splits into two logits this one has the
/// smallest norm, 1/√2: certificates get the constants of the logistic loss from those of cross entropy, √2 and ½.
/// Saved as TorchScript (to_torchscript), it is the network alone, which gives z.
class TwoLogitsImpl : public torch::nn::Module, public GraphSource {
 public:
  /// The net must have a module (not a plain callable).
  explicit TwoLogitsImpl(Model net);
  torch::Tensor forward(const torch::Tensor& x);
  /// Of the net, with a dense layer behind it.
  Graph graph() const override;

  const Model& net() const { return net_; }

 private:
  Model net_;
  torch::Tensor weight_;  // [2,1], a constant
};
TORCH_MODULE(TwoLogits);

/// The same for any model; a callable stays one.
Model two_logits(const Model& net);

/// Whether there is such a network in the model, behind a normalisation or not.
bool has_one_logit(const Model& model);

}  // namespace arks
