#pragma once
#include <arks/model/graph.h>
#include <arks/model/model.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

namespace arks {

/// x → net(x)·deviation + mean, so that numbers that are predicted are on another scale than the one they were learned
/// on. Of several outputs each has its own. They are settings and not trained, as in Normalised.
class RescaledImpl : public torch::nn::Module, public GraphSource {
 public:
  /// mean, deviation: [outputs]. Throws Error when a number is not finite or a deviation is not positive. The net must
  /// have a module (not a plain callable).
  RescaledImpl(Model net, torch::Tensor mean, torch::Tensor deviation);
  torch::Tensor forward(const torch::Tensor& x);
  /// Of the net, with a dense layer behind it.
  Graph graph() const override;

  const Model& net() const { return net_; }
  /// Where a mean is a thousand deviations or more, float32 would lose what predictions differ in: then the result is
  /// float64, also of a net in float32.
  bool precise() const { return precise_; }
  const torch::Tensor& mean() const { return mean_; }
  const torch::Tensor& deviation() const { return deviation_; }

 private:
  Model net_;
  torch::Tensor mean_, deviation_;  // float64
  bool precise_;
};
TORCH_MODULE(Rescaled);

/// The same for any model; a callable stays one.
Model rescaled(const Model& net, const torch::Tensor& mean, const torch::Tensor& deviation);

}  // namespace arks
