#pragma once
#include <arks/model/activation.h>
#include <arks/model/graph_module.h>
#include <torch/arg.h>

namespace arks {

struct CelebaCnnOptions {
  CelebaCnnOptions() = default;
  TORCH_ARG(int64_t, num_classes) = 2;  // ≥ 2
  TORCH_ARG(Activation, activation) = Activation::kLeakyRelu;
  TORCH_ARG(uint64_t, seed) = 0;  // of the initial weights
};

/// The paper's network for CelebA, x [n,3,64,48] → logits [n,num_classes], 270,754 weights for 2 classes:
///   conv 5×5 stride 2: 3→16 pad 1, 16→32 pad 1, 32→64 pad 1, 64→128 pad 0, the activation behind the first three;
///   dense 256→classes. Heights and widths: 64×48, 31×23, 15×11, 7×5, 2×1.
/// Initialised as published: convolutions N(0, 0.02²), the dense layer Xavier uniform, biases U(±1/√fan_in).
class CelebaCnnImpl : public GraphModule {
 public:
  explicit CelebaCnnImpl(CelebaCnnOptions options = CelebaCnnOptions());
};
TORCH_MODULE(CelebaCnn);

}  // namespace arks
