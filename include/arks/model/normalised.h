#pragma once
#include <arks/model/graph.h>
#include <arks/model/model.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <vector>

namespace arks {

/// x → net((x − mean)/deviation), so that eps, sigma and bounds stay in the units of x. There is a mean and a
/// deviation for every channel of an image, for every feature of a table. They are settings, as the width of a layer
/// is: not trained, and no part of the state.
class NormalisedImpl : public torch::nn::Module, public GraphSource {
 public:
  /// mean, deviation: of a shape that goes with one sample, [c,1,1] for images [c,h,w]. Throws Error when a number is
  /// not finite, or a deviation is not positive. The net must have a module (not a plain callable).
  NormalisedImpl(Model net, torch::Tensor mean, torch::Tensor deviation);
  torch::Tensor forward(const torch::Tensor& x);
  /// Of the net, behind a batch norm with fixed statistics. Throws Error when the scaling is not one of the channels.
  Graph graph() const override;
  bool trains_as_graph() const override { return true; }

  const Model& net() const { return net_; }
  /// Where a mean is a thousand deviations or more, as of points in time, float32 would lose what the numbers differ
  /// in: then x may be float64, and is scaled in it before it becomes what the net takes.
  bool precise() const { return mean_.scalar_type() == torch::kDouble; }
  const torch::Tensor& mean() const { return mean_; }
  const torch::Tensor& deviation() const { return deviation_; }

 private:
  Model net_;
  torch::Tensor mean_, deviation_;  // float32; float64 where it is precise
};
TORCH_MODULE(Normalised);

/// The same for any model; a callable stays one.
Model normalised(const Model& net, const torch::Tensor& mean, const torch::Tensor& deviation);

/// With a number for each channel c of samples {c,...}, or one for all. Throws Error when the count does not fit.
Model normalised(const Model& net, const std::vector<double>& mean, const std::vector<double>& deviation,
                 torch::IntArrayRef sample_shape);

}  // namespace arks
