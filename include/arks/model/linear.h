#pragma once
#include <arks/model/layers.h>
#include <torch/arg.h>
#include <torch/nn/modules/linear.h>

namespace arks {

struct LinearModelOptions {
  LinearModelOptions(int64_t inputs, int64_t outputs) : inputs_(inputs), outputs_(outputs) {}
  TORCH_ARG(int64_t, inputs);     // numbers per sample, after flattening; > 0
  TORCH_ARG(int64_t, outputs);    // > 0
  TORCH_ARG(uint64_t, seed) = 0;  // of the initial weights
};

/// x [n,...] → W·flatten(x) + b [n,outputs]. With cross entropy this is multinomial logistic regression.
/// Initialised with Xavier uniform weights and biases from U(±1/√inputs).
class LinearModelImpl : public torch::nn::Module, public Layered {
 public:
  explicit LinearModelImpl(LinearModelOptions options);
  torch::Tensor forward(const torch::Tensor& x);
  Layers layers() const override;
  bool trains_as_listed() const override { return true; }

  /// The same in TorchScript, for saving a model that Python loads.
  static const char* script();

 private:
  torch::nn::Linear dense_;
};
TORCH_MODULE(LinearModel);

}  // namespace arks
