#pragma once
#include <arks/model/graph_module.h>
#include <torch/arg.h>

namespace arks {

struct FashionCnnOptions {
  FashionCnnOptions() = default;
  TORCH_ARG(int64_t, num_classes) = 10;  // ≥ 2
  TORCH_ARG(uint64_t, seed) = 0;         // of the initial weights
};

/// The paper's network for Fashion-MNIST, x [n,1,28,28] → logits [n,num_classes], 315,146 weights for 10 classes:
///   conv 3×3 1→32 pad 1, ELU, max pool 2, conv 3×3 32→64, ELU, max pool 2, dense 2304→128, ELU, dense 128→classes.
/// Initialised as published: convolutions N(0, 0.02²), dense layers Xavier uniform, biases U(±1/√fan_in).
/// ELU is monotone, so it is applied after the pooling instead of before: the same function, a quarter of the
/// exponentials.
class FashionCnnImpl : public GraphModule {
 public:
  explicit FashionCnnImpl(FashionCnnOptions options = FashionCnnOptions());
};
TORCH_MODULE(FashionCnn);

}  // namespace arks
