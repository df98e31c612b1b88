#pragma once
#include <arks/model/layers.h>
#include <torch/arg.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <memory>

// declared only: torch's header for convolutions costs a second in every file
namespace torch::nn {
class Conv2dImpl;
class LinearImpl;
}  // namespace torch::nn

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
class FashionCnnImpl : public torch::nn::Module, public Layered {
 public:
  explicit FashionCnnImpl(FashionCnnOptions options = FashionCnnOptions());
  torch::Tensor forward(const torch::Tensor& x);
  Layers layers() const override;
  bool trains_as_listed() const override { return true; }

  /// The same in TorchScript, for saving a model that Python loads.
  static const char* script();

 private:
  std::shared_ptr<torch::nn::Conv2dImpl> conv1_, conv2_;
  std::shared_ptr<torch::nn::LinearImpl> dense1_, dense2_;
};
TORCH_MODULE(FashionCnn);

}  // namespace arks
