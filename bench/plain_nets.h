#pragma once
#include <torch/nn/module.h>

#include <memory>
#include <string>

namespace arks::bench {

/// The paper's networks as one writes them with torch::nn: NCHW, each activation before its pooling, nothing fused. The
/// weights and buffers have the names and shapes of the library's networks.
class PlainNet : public torch::nn::Module {
 public:
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;  ///< [n,c,h,w] → [n,classes]

  /// Copies weights and batch-norm statistics by name, and takes over their type.
  void take_weights(const torch::nn::Module& source);
};

using PlainNetPtr = std::shared_ptr<PlainNet>;

/// "fashion-cnn", "resnet20" or "celeba-cnn" with the weights of the library's network.
PlainNetPtr make_plain_net(const std::string& model, const torch::nn::Module& source);

}  // namespace arks::bench
