#pragma once
#include <arks/model/activation.h>
#include <arks/model/layers.h>
#include <torch/arg.h>
#include <torch/nn/modules/linear.h>

#include <string>
#include <vector>

namespace arks {

struct MlpOptions {
  MlpOptions(int64_t inputs, int64_t outputs) : inputs_(inputs), outputs_(outputs) {}
  TORCH_ARG(int64_t, inputs);                          // numbers per sample, after flattening; > 0
  TORCH_ARG(int64_t, outputs);                         // > 0
  TORCH_ARG(std::vector<int64_t>, hidden) = {32, 32};  // width of each hidden layer, > 0; none: a linear model
  TORCH_ARG(Activation, activation) = Activation::kElu;
  TORCH_ARG(uint64_t, seed) = 0;  // of the initial weights
};

/// A multilayer perceptron, x [n,...] → [n,outputs]:
///   flatten, then dense layer and activation for every hidden width, then a dense layer.
/// The default, 32 and 32 with ELU, is the paper's network for iris and diabetes. ELU is once differentiable, so that
/// the loss is smooth in the input. The layers are dense1, dense2, …; each is initialised with Xavier uniform weights
/// and biases from U(±1/√fan_in).
class MlpImpl : public torch::nn::Module, public Layered {
 public:
  explicit MlpImpl(const MlpOptions& options);
  torch::Tensor forward(const torch::Tensor& x);
  Layers layers() const override;
  bool trains_as_listed() const override { return true; }

  /// The same in TorchScript, for saving a model that Python loads.
  std::string script() const;

 private:
  Activation activation_;
  std::vector<torch::nn::Linear> layers_;
};
TORCH_MODULE(Mlp);

}  // namespace arks
