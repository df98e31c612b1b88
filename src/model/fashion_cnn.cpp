#include "checked_classes.h"
#include "initialise.h"

#include <arks/model/fashion_cnn.h>
#include <arks/support/error.h>
#include <arks/support/random.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

namespace arks {

FashionCnnImpl::FashionCnnImpl(FashionCnnOptions options) : torch::nn::Module("fashion-cnn") {
  conv1_ = register_module("conv1", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 32, 3).padding(1)));
  conv2_ = register_module("conv2", torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 64, 3)));
  dense1_ = register_module("dense1", torch::nn::Linear(2304, 128));
  dense2_ = register_module("dense2", torch::nn::Linear(128, checked_classes(options.num_classes(), "fashion-cnn")));
  auto generator = make_generator(options.seed(), Stream::kInitialisation);
  for (const auto& conv : {conv1_, conv2_}) {
    initialise_normal(conv->weight, 0.02, generator);
    initialise_uniform(conv->bias, conv->weight[0].numel(), generator);
  }
  for (const auto& dense : {dense1_, dense2_}) {
    initialise_xavier(dense->weight, generator);
    initialise_uniform(dense->bias, dense->weight.size(1), generator);
  }
}

torch::Tensor FashionCnnImpl::forward(const torch::Tensor& x) {
  ARKS_CHECK(x.dim() == 4 && x.size(1) == 1 && x.size(2) == 28 && x.size(3) == 28,
             "fashion-cnn: inputs must have shape [n, 1, 28, 28], got ", x.sizes());
  // One channel is the same bytes channels-last. With strides that say so libtorch keeps that layout throughout: no
  // reordering around the convolutions, and pooling is vectorised. In place, ELU keeps its result alone, from which its
  // derivative needs no exponential.
  auto h = torch::max_pool2d(conv1_->forward(x.reshape({x.size(0), 28, 28, 1}).permute({0, 3, 1, 2})), 2);
  h = torch::max_pool2d(conv2_->forward(torch::elu_(h)), 2);
  // the columns of the weights in the order of the activations, since there are fewer of them to move
  const auto weight = dense1_->weight.view({-1, 64, 6, 6}).permute({0, 2, 3, 1}).flatten(1);
  h = torch::linear(torch::elu_(h).permute({0, 2, 3, 1}).flatten(1), weight, dense1_->bias);
  return dense2_->forward(torch::elu_(h));
}

Layers FashionCnnImpl::layers() const {
  Convolution first{conv1_->weight.detach(), conv1_->bias.detach()};
  first.padding = {1, 1};
  return {first,     MaxPool{},
          Elu{},     Convolution{conv2_->weight.detach(), conv2_->bias.detach()},
          MaxPool{}, Elu{},
          Flatten{}, Dense{dense1_->weight.detach(), dense1_->bias.detach()},
          Elu{},     Dense{dense2_->weight.detach(), dense2_->bias.detach()}};
}

const char* FashionCnnImpl::script() {
  return R"(
def forward(self, x):
    h = torch.conv2d(x, self.conv1.weight, self.conv1.bias, [1, 1], [1, 1])
    h = torch.elu(torch.max_pool2d(h, [2, 2]))
    h = torch.conv2d(h, self.conv2.weight, self.conv2.bias)
    h = torch.elu(torch.max_pool2d(h, [2, 2]))
    h = torch.elu(torch.linear(torch.flatten(h, 1), self.dense1.weight, self.dense1.bias))
    return torch.linear(h, self.dense2.weight, self.dense2.bias)
)";
}

}  // namespace arks
