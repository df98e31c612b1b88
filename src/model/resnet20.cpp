#include "checked_classes.h"
#include "initialise.h"

#include <arks/model/resnet20.h>
#include <arks/support/error.h>
#include <arks/support/random.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

namespace arks {

namespace {

namespace nn = torch::nn;

nn::Conv2d convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

std::string block_name(size_t i) {
  return "block" + std::to_string(i + 1);
}

void append(Layers& layers, const nn::Module& module) {
  for (auto& layer : layers_of(module)) layers.push_back(std::move(layer));
}

/// Lines of TorchScript: `to` = norm(conv(`from`)).
std::string conv_norm_script(const std::string& to, const std::string& from, const std::string& conv,
                             const std::string& norm, int64_t stride, int64_t padding) {
  return c10::str("    if ", norm, ".training:\n", "        ", norm, ".num_batches_tracked.add_(1)\n", "    ", to,
                  " = torch.conv2d(", from, ", ", conv, ".weight, None, [", stride, ", ", stride, "], [", padding, ", ",
                  padding, "])\n", "    ", to, " = torch.batch_norm(", to, ", ", norm, ".weight, ", norm, ".bias, ",
                  norm, ".running_mean, ", norm, ".running_var, ", norm, ".training, 0.1, 1e-05, True)\n");
}

}  // namespace

ResidualBlockImpl::ResidualBlockImpl(int64_t in, int64_t out, int64_t stride, Activation activation)
    : torch::nn::Module("residual-block"), stride_(stride), activation_(activation) {
  conv1_ = register_module("conv1", convolution(in, out, 3, stride));
  norm1_ = register_module("norm1", nn::BatchNorm2d(out));
  conv2_ = register_module("conv2", convolution(out, out, 3, 1));
  norm2_ = register_module("norm2", nn::BatchNorm2d(out));
  shortcut_ = register_module("shortcut", convolution(in, out, 1, stride));
  shortcut_norm_ = register_module("shortcut_norm", nn::BatchNorm2d(out));
}

torch::Tensor ResidualBlockImpl::forward(const torch::Tensor& x) {
  auto h = activate_(activation_, norm1_->forward(conv1_->forward(x)));
  h = norm2_->forward(conv2_->forward(h));
  return activate_(activation_, h + shortcut_norm_->forward(shortcut_->forward(x)));
}

Layers ResidualBlockImpl::layers() const {
  Residual sum;
  append(sum.main, *conv1_);
  append(sum.main, *norm1_);
  sum.main.push_back(layer_of(activation_));
  append(sum.main, *conv2_);
  append(sum.main, *norm2_);
  append(sum.shortcut, *shortcut_);
  append(sum.shortcut, *shortcut_norm_);
  return {std::move(sum), layer_of(activation_)};
}

std::string ResidualBlockImpl::script(const std::string& name) const {
  const auto part = [&](const char* child) { return "self." + name + "." + child; };
  return conv_norm_script("m", "h", part("conv1"), part("norm1"), stride_, 1) +
         "    m = " + script_of(activation_, "m") + "\n" +
         conv_norm_script("m", "m", part("conv2"), part("norm2"), 1, 1) +
         conv_norm_script("h", "h", part("shortcut"), part("shortcut_norm"), stride_, 0) +
         "    h = " + script_of(activation_, "m + h") + "\n";
}

ResNet20Impl::ResNet20Impl(ResNet20Options options) : torch::nn::Module("resnet20"), activation_(options.activation()) {
  const int64_t classes = checked_classes(options.num_classes(), "resnet20");
  conv_ = register_module("conv", convolution(3, 16, 3, 1));
  norm_ = register_module("norm", nn::BatchNorm2d(16));
  int64_t in = 16;
  for (const int64_t out : {16, 32, 64}) {
    for (int i = 0; i < 3; ++i) {
      const int64_t stride = out > 16 && i == 0 ? 2 : 1;
      blocks_.push_back(register_module(block_name(blocks_.size()),
                                        std::make_shared<ResidualBlockImpl>(in, out, stride, activation_)));
      in = out;
    }
  }
  dense_ = register_module("dense", nn::Linear(1024, classes));

  auto generator = make_generator(options.seed(), Stream::kInitialisation);
  for (const auto& module : modules(/*include_self=*/false)) {
    if (auto* conv = module->as<nn::Conv2d>()) initialise_kaiming(conv->weight, generator);
  }
  initialise_kaiming(dense_->weight, generator);
  initialise_uniform(dense_->bias, dense_->weight.size(1), generator);
}

torch::Tensor ResNet20Impl::forward(const torch::Tensor& x) {
  ARKS_CHECK(x.dim() == 4 && x.size(1) == 3 && x.size(2) == 32 && x.size(3) == 32,
             "resnet20: inputs must have shape [n, 3, 32, 32], got ", x.sizes());
  auto h = activate_(activation_, norm_->forward(conv_->forward(x)));
  for (const auto& block : blocks_) h = block->forward(h);
  return dense_->forward(torch::avg_pool2d(h, 2).flatten(1));
}

Layers ResNet20Impl::layers() const {
  Layers layers;
  append(layers, *conv_);
  append(layers, *norm_);
  layers.push_back(layer_of(activation_));
  for (const auto& block : blocks_) append(layers, *block);
  layers.emplace_back(AveragePool{});
  layers.emplace_back(Flatten{});
  append(layers, *dense_);
  return layers;
}

std::string ResNet20Impl::script() const {
  auto text = "\ndef forward(self, x):\n" + conv_norm_script("h", "x", "self.conv", "self.norm", 1, 1) +
              "    h = " + script_of(activation_, "h") + "\n";
  for (size_t i = 0; i < blocks_.size(); ++i) text += blocks_[i]->script(block_name(i));
  return text +
         "    h = torch.flatten(torch.avg_pool2d(h, [2, 2]), 1)\n"
         "    return torch.linear(h, self.dense.weight, self.dense.bias)\n";
}

}  // namespace arks
