#pragma once
#include <arks/model/graph_module.h>
#include <torch/arg.h>

namespace arks {

struct LinearModelOptions {
  LinearModelOptions(int64_t inputs, int64_t outputs) : inputs_(inputs), outputs_(outputs) {}
  TORCH_ARG(int64_t, inputs);     // numbers per sample, after flattening; > 0
  TORCH_ARG(int64_t, outputs);    // > 0
  TORCH_ARG(uint64_t, seed) = 0;  // of the initial weights
};

/// x [n,...] → W·flatten(x) + b [n,outputs]. With cross entropy this is multinomial logistic regression.
/// Initialised with Xavier uniform weights and biases from U(±1/√inputs).
class LinearModelImpl : public GraphModule {
 public:
  explicit LinearModelImpl(LinearModelOptions options);
};
TORCH_MODULE(LinearModel);

}  // namespace arks
