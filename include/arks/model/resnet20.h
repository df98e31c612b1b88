#pragma once
#include <arks/model/activation.h>
#include <arks/model/graph_module.h>
#include <torch/arg.h>

namespace arks {

struct ResNet20Options {
  ResNet20Options() = default;
  TORCH_ARG(int64_t, num_classes) = 10;  // ≥ 2
  TORCH_ARG(Activation, activation) = Activation::kRelu;
  TORCH_ARG(uint64_t, seed) = 0;  // of the initial weights
};

/// The paper's network for CIFAR-10, x [n,3,32,32] → logits [n,num_classes], 293,562 weights for 10 classes:
///   conv 3×3 3→16, batch norm, activation; three residual blocks each with 16, 32 and 64 channels, the first of the
///   second and third three with stride 2; average pool 2×2; dense 1024→classes.
/// A block, with σ the activation, is σ(norm2(conv2(σ(norm1(conv1(x))))) + shortcut_norm(shortcut(x))): conv1 (with the
/// stride) and conv2 are 3×3 with padding 1, the shortcut is 1×1 with the stride, in every block.
/// It differs from He et al. 2016 in the 1×1 convolution on every shortcut and the 2×2 instead of a global pooling.
/// Convolutions have no bias, since the batch norm behind them takes any constant out. Batch norm as torch has it:
/// eps 1e-5, running statistics with momentum 0.1.
/// Initialised with Kaiming normal weights, N(0, 2/fan_in), convolutions and the dense layer alike and whatever the
/// activation; batch norm 1 and 0; the dense bias from U(±1/√fan_in).
class ResNet20Impl : public GraphModule {
 public:
  explicit ResNet20Impl(ResNet20Options options = ResNet20Options());
};
TORCH_MODULE(ResNet20);

}  // namespace arks
