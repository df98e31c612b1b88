#include "checked_classes.h"
#include "initialise.h"

#include <arks/model/celeba_cnn.h>
#include <arks/support/error.h>
#include <arks/support/random.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

namespace arks {

namespace {

namespace nn = torch::nn;

constexpr int64_t kChannels[] = {3, 16, 32, 64, 128};
constexpr int64_t kPadding[] = {1, 1, 1, 0};
constexpr size_t kConvs = 4;

std::string conv_name(size_t i) {
  return "conv" + std::to_string(i + 1);
}

}  // namespace

CelebaCnnImpl::CelebaCnnImpl(CelebaCnnOptions options)
    : torch::nn::Module("celeba-cnn"), activation_(options.activation()) {
  const int64_t classes = checked_classes(options.num_classes(), "celeba-cnn");
  auto generator = make_generator(options.seed(), Stream::kInitialisation);
  for (size_t i = 0; i < kConvs; ++i) {
    const auto shape = nn::Conv2dOptions(kChannels[i], kChannels[i + 1], 5).stride(2).padding(kPadding[i]);
    const auto conv = register_module(conv_name(i), nn::Conv2d(shape));
    initialise_normal(conv->weight, 0.02, generator);
    initialise_uniform(conv->bias, conv->weight[0].numel(), generator);
    convs_.push_back(conv);
  }
  dense_ = register_module("dense", nn::Linear(256, classes));
  initialise_xavier(dense_->weight, generator);
  initialise_uniform(dense_->bias, dense_->weight.size(1), generator);
}

torch::Tensor CelebaCnnImpl::forward(const torch::Tensor& x) {
  ARKS_CHECK(x.dim() == 4 && x.size(1) == 3 && x.size(2) == 64 && x.size(3) == 48,
             "celeba-cnn: inputs must have shape [n, 3, 64, 48], got ", x.sizes());
  auto h = x;
  for (size_t i = 0; i < kConvs; ++i) {
    h = convs_[i]->forward(h);
    if (i + 1 < kConvs) h = activate_(activation_, h);
  }
  return dense_->forward(h.flatten(1));
}

Layers CelebaCnnImpl::layers() const {
  Layers layers;
  for (size_t i = 0; i < kConvs; ++i) {
    layers.push_back(layers_of(*convs_[i]).front());
    if (i + 1 < kConvs) layers.push_back(layer_of(activation_));
  }
  layers.emplace_back(Flatten{});
  layers.push_back(layers_of(*dense_).front());
  return layers;
}

std::string CelebaCnnImpl::script() const {
  std::string text = "\ndef forward(self, x):\n    h = x\n";
  for (size_t i = 0; i < kConvs; ++i) {
    const auto conv = "self." + conv_name(i), padding = std::to_string(kPadding[i]);
    const auto call =
        "torch.conv2d(h, " + conv + ".weight, " + conv + ".bias, [2, 2], [" + padding + ", " + padding + "])";
    text += "    h = " + (i + 1 < kConvs ? script_of(activation_, call) : call) + "\n";
  }
  return text + "    return torch.linear(torch.flatten(h, 1), self.dense.weight, self.dense.bias)\n";
}

}  // namespace arks
