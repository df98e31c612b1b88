#include "plain_nets.h"

#include <arks/support/error.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

namespace arks::bench {

namespace {

namespace nn = torch::nn;

class PlainFashionCnn : public PlainNet {
 public:
  PlainFashionCnn() {
    register_module("conv1", conv1_);
    register_module("conv2", conv2_);
    register_module("dense1", dense1_);
    register_module("dense2", dense2_);
  }

  torch::Tensor forward(const torch::Tensor& x) override {
    auto h = torch::max_pool2d(torch::elu(conv1_(x)), 2);
    h = torch::max_pool2d(torch::elu(conv2_(h)), 2);
    h = torch::elu(dense1_(h.flatten(1)));
    return dense2_(h);
  }

 private:
  nn::Conv2d conv1_{nn::Conv2dOptions(1, 32, 3).padding(1)}, conv2_{nn::Conv2dOptions(32, 64, 3)};
  nn::Linear dense1_{2304, 128}, dense2_{128, 10};
};

nn::Conv2d convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

class PlainBlock : public nn::Module {
 public:
  PlainBlock(int64_t in, int64_t out, int64_t stride)
      : conv1_(convolution(in, out, 3, stride)),
        conv2_(convolution(out, out, 3, 1)),
        shortcut_(convolution(in, out, 1, stride)),
        norm1_(out),
        norm2_(out),
        shortcut_norm_(out) {
    register_module("conv1", conv1_);
    register_module("norm1", norm1_);
    register_module("conv2", conv2_);
    register_module("norm2", norm2_);
    register_module("shortcut", shortcut_);
    register_module("shortcut_norm", shortcut_norm_);
  }

  torch::Tensor forward(const torch::Tensor& x) {
    auto h = torch::relu(norm1_(conv1_(x)));
    h = norm2_(conv2_(h));
    return torch::relu(h + shortcut_norm_(shortcut_(x)));
  }

 private:
  nn::Conv2d conv1_, conv2_, shortcut_;
  nn::BatchNorm2d norm1_, norm2_, shortcut_norm_;
};

class PlainResNet20 : public PlainNet {
 public:
  PlainResNet20() {
    register_module("conv", conv_);
    register_module("norm", norm_);
    int64_t in = 16;
    for (const int64_t out : {16, 32, 64}) {
      for (int i = 0; i < 3; ++i) {
        const int64_t stride = out > 16 && i == 0 ? 2 : 1;
        const auto name = "block" + std::to_string(blocks_.size() + 1);
        blocks_.push_back(register_module(name, std::make_shared<PlainBlock>(in, out, stride)));
        in = out;
      }
    }
    register_module("dense", dense_);
  }

  torch::Tensor forward(const torch::Tensor& x) override {
    auto h = torch::relu(norm_(conv_(x)));
    for (const auto& block : blocks_) h = block->forward(h);
    return dense_(torch::avg_pool2d(h, 2).flatten(1));
  }

 private:
  nn::Conv2d conv_ = convolution(3, 16, 3, 1);
  nn::BatchNorm2d norm_{16};
  std::vector<std::shared_ptr<PlainBlock>> blocks_;
  nn::Linear dense_{1024, 10};
};

class PlainCelebaCnn : public PlainNet {
 public:
  PlainCelebaCnn() {
    register_module("conv1", conv1_);
    register_module("conv2", conv2_);
    register_module("conv3", conv3_);
    register_module("conv4", conv4_);
    register_module("dense", dense_);
  }

  torch::Tensor forward(const torch::Tensor& x) override {
    auto h = torch::leaky_relu(conv1_(x), 0.01);
    h = torch::leaky_relu(conv2_(h), 0.01);
    h = torch::leaky_relu(conv3_(h), 0.01);
    return dense_(conv4_(h).flatten(1));
  }

 private:
  nn::Conv2d conv1_{nn::Conv2dOptions(3, 16, 5).stride(2).padding(1)};
  nn::Conv2d conv2_{nn::Conv2dOptions(16, 32, 5).stride(2).padding(1)};
  nn::Conv2d conv3_{nn::Conv2dOptions(32, 64, 5).stride(2).padding(1)};
  nn::Conv2d conv4_{nn::Conv2dOptions(64, 128, 5).stride(2)};
  nn::Linear dense_{256, 2};
};

PlainNetPtr untouched_net(const std::string& model) {
  if (model == "fashion-cnn") return std::make_shared<PlainFashionCnn>();
  if (model == "resnet20") return std::make_shared<PlainResNet20>();
  ARKS_CHECK(model == "celeba-cnn", "no plain network for ", model);
  return std::make_shared<PlainCelebaCnn>();
}

}  // namespace

void PlainNet::take_weights(const torch::nn::Module& source) {
  const torch::NoGradGuard no_grad;
  const auto parameters = source.named_parameters(), buffers = source.named_buffers();
  ARKS_CHECK(parameters.size() == named_parameters().size() && buffers.size() == named_buffers().size(),
             "the plain network has other weights than ", source.name());
  for (auto& item : named_parameters()) item.value().set_data(parameters[item.key()].detach().clone());
  for (auto& item : named_buffers()) item.value().set_data(buffers[item.key()].detach().clone());
}

PlainNetPtr make_plain_net(const std::string& model, const torch::nn::Module& source) {
  auto net = untouched_net(model);
  net->take_weights(source);
  return net;
}

}  // namespace arks::bench
