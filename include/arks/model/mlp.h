#pragma once
#include <arks/model/activation.h>
#include <arks/model/graph_module.h>
#include <torch/arg.h>

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
class MlpImpl : public GraphModule {
 public:
  explicit MlpImpl(const MlpOptions& options);
};
TORCH_MODULE(Mlp);

}  // namespace arks
