#pragma once
#include "data/published.h"
#include "plain_nets.h"

#include <arks/inner/ascent.h>
#include <torch/optim.h>

#include <memory>

namespace arks::bench {

/// What the inner ascent climbs; the maximiser is the same.
enum class Reduction {
  kMean,  ///< mean_i l_i k_ii, as published
  kSum,   ///< n times that: the scale at which every sample has the gradient it has alone
};

/// torch's own optimiser with the paper's settings for the weights.
std::unique_ptr<torch::optim::Optimizer> plain_optimizer(const PublishedSettings& settings, const PlainNet& net);

/// l(θ,u) [n], in one call of torch.
torch::Tensor plain_losses(PlainNet& net, const torch::Tensor& u, const torch::Tensor& y);

/// ARKS training step for step the way the paper's code does it: the whole n×n kernel matrix for its diagonal, inner
/// backward passes that also compute (and accumulate) the gradients of all weights, and a second pass over the clean
/// batch for the metrics. The paper keeps the network in training mode throughout (InnerMode::kTrain); with kEval the
/// same code has it in evaluation mode during the inner loop. Written for comparison only.
class PublishedTraining {
 public:
  struct CleanMetrics {
    double loss;   ///< mean over the batch
    double error;  ///< misclassified fraction
  };

  PublishedTraining(PlainNetPtr net, const PublishedSettings& settings, InnerMode mode);

  /// mean_i l(θ,u_i) k(u_i,x_i), in whatever mode the network is in.
  torch::Tensor surrogate(const torch::Tensor& u, const torch::Tensor& x, const torch::Tensor& y);

  /// The last iterate, [n,c,h,w].
  torch::Tensor maximize(const torch::Tensor& x, const torch::Tensor& y, Reduction reduction = Reduction::kMean);

  /// One batch: inner ascent, outer step, clean metrics.
  CleanMetrics step(const torch::Tensor& x, const torch::Tensor& y, Reduction reduction = Reduction::kMean);

  PlainNet& net() { return *net_; }

 private:
  PlainNetPtr net_;
  PublishedSettings settings_;
  InnerMode mode_;
  std::unique_ptr<torch::optim::Optimizer> outer_;
};

}  // namespace arks::bench
