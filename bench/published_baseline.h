#pragma once
#include <torch/torch.h>

namespace arks::bench {

/// The paper's network for Fashion-MNIST as published, each activation before its pooling. Its weights have the names
/// and shapes of FashionCnn's.
class PublishedCnnImpl : public torch::nn::Module {
 public:
  PublishedCnnImpl();
  torch::Tensor forward(const torch::Tensor& x);

  /// Copies the weights of a FashionCnn, and takes over their type.
  void take_weights(const torch::nn::Module& fashion_cnn);

 private:
  torch::nn::Conv2d conv1_, conv2_;
  torch::nn::Linear dense1_, dense2_;
};
TORCH_MODULE(PublishedCnn);

/// What the inner ascent climbs; the maximiser is the same.
enum class Reduction {
  kMean,  ///< mean_i l_i k_ii, as published
  kSum,   ///< n times that: the scale at which every sample has the gradient it has alone
};

/// ARKS training step for step the way the paper's code does it: the whole n×n kernel matrix for its diagonal, inner
/// backward passes that also compute (and accumulate) the gradients of all weights, and a second pass over the clean
/// batch for the metrics. Written for comparison only.
class PublishedTraining {
 public:
  struct CleanMetrics {
    double loss;   ///< mean over the batch
    double error;  ///< misclassified fraction
  };

  PublishedTraining(PublishedCnn net, double sigma, int64_t inner_steps, double inner_rate);

  /// The last iterate, [n,1,28,28].
  torch::Tensor maximize(const torch::Tensor& x, const torch::Tensor& y, Reduction reduction = Reduction::kMean);

  /// One batch: inner ascent, outer AMSGrad step, clean metrics.
  CleanMetrics step(const torch::Tensor& x, const torch::Tensor& y);

 private:
  torch::Tensor surrogate(const torch::Tensor& u, const torch::Tensor& x, const torch::Tensor& y);

  PublishedCnn net_;
  double sigma_;
  int64_t inner_steps_;
  double inner_rate_;
  torch::optim::Adam outer_;
};

}  // namespace arks::bench
