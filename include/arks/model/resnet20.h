#pragma once
#include <arks/model/activation.h>
#include <arks/model/layers.h>
#include <torch/arg.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <memory>
#include <string>
#include <vector>

// declared only: torch's header for convolutions costs a second in every file
namespace torch::nn {
class BatchNorm2dImpl;
class Conv2dImpl;
class LinearImpl;
}  // namespace torch::nn

namespace arks {

struct ResNet20Options {
  ResNet20Options() = default;
  TORCH_ARG(int64_t, num_classes) = 10;  // ≥ 2
  TORCH_ARG(Activation, activation) = Activation::kRelu;
  TORCH_ARG(uint64_t, seed) = 0;  // of the initial weights
};

/// A block of ResNet-20, x [n,in,h,w] → [n,out,h/stride,w/stride], with σ the activation:
///   σ(norm2(conv2(σ(norm1(conv1(x))))) + shortcut_norm(shortcut(x))).
/// conv1 (with the stride) and conv2 are 3×3 with padding 1, the shortcut is 1×1 with the stride, in every block.
class ResidualBlockImpl : public torch::nn::Module, public Layered {
 public:
  ResidualBlockImpl(int64_t in, int64_t out, int64_t stride, Activation activation);
  torch::Tensor forward(const torch::Tensor& x);
  Layers layers() const override;
  bool trains_as_listed() const override { return true; }

  /// The lines of TorchScript that take h through the block, which is called `name` in the module.
  std::string script(const std::string& name) const;

 private:
  int64_t stride_;
  Activation activation_;
  std::shared_ptr<torch::nn::Conv2dImpl> conv1_, conv2_, shortcut_;
  std::shared_ptr<torch::nn::BatchNorm2dImpl> norm1_, norm2_, shortcut_norm_;
};

/// The paper's network for CIFAR-10, x [n,3,32,32] → logits [n,num_classes], 293,562 weights for 10 classes:
///   conv 3×3 3→16, batch norm, activation; three residual blocks each with 16, 32 and 64 channels, the first of the
///   second and third three with stride 2; average pool 2×2; dense 1024→classes.
/// It differs from He et al. 2016 in the 1×1 convolution on every shortcut and the 2×2 instead of a global pooling.
/// Convolutions have no bias, since the batch norm behind them takes any constant out. Batch norm as torch has it:
/// eps 1e-5, running statistics with momentum 0.1.
/// Initialised with Kaiming normal weights, N(0, 2/fan_in), convolutions and the dense layer alike and whatever the
/// activation; batch norm 1 and 0; the dense bias from U(±1/√fan_in).
class ResNet20Impl : public torch::nn::Module, public Layered {
 public:
  explicit ResNet20Impl(ResNet20Options options = ResNet20Options());
  torch::Tensor forward(const torch::Tensor& x);
  Layers layers() const override;
  bool trains_as_listed() const override { return true; }

  /// The same in TorchScript, for saving a model that Python loads. Each batch norm follows its own `training`, as in
  /// Python: model.train() and model.eval() set them all.
  std::string script() const;

 private:
  Activation activation_;
  std::shared_ptr<torch::nn::Conv2dImpl> conv_;
  std::shared_ptr<torch::nn::BatchNorm2dImpl> norm_;
  std::vector<std::shared_ptr<ResidualBlockImpl>> blocks_;
  std::shared_ptr<torch::nn::LinearImpl> dense_;
};
TORCH_MODULE(ResNet20);

}  // namespace arks
