#pragma once
#include "suite.h"

#include <arks/inner/maximizer.h>
#include <arks/problem/problem.h>
#include <torch/torch.h>

#include <memory>

namespace arks::bench {

/// The setting of the paper's small networks: 10 L-BFGS steps, the first length tried is 1.
constexpr int64_t kLbfgsSteps = 10;
constexpr double kLbfgsRate = 1;
constexpr double kLbfgsSigma = 1;

/// The mean over the samples of l·k at the start and where either side ends.
struct ReachedValues {
  double start, ours, sample_by_sample;
};

/// ARKS' inner maximisation, l(u)·exp(−‖u−x‖²/(2σ²)) with the squared error of a 10–32–32–1 network, for random
/// samples: ours, the batch at once, and what one would write with torch's own optimiser, which knows one curvature
/// for all it is given and so needs a loop over the samples. Both search along lines with Wolfe's conditions, and
/// both leave the weights out of the backward pass.
class LbfgsComparison {
 public:
  explicit LbfgsComparison(int64_t samples);
  torch::Tensor ours();              ///< [n,10]
  torch::Tensor sample_by_sample();  ///< [n,10]
  ReachedValues reached();

 private:
  torch::Tensor surrogate(const torch::Tensor& u, const torch::Tensor& x, const torch::Tensor& y);

  torch::nn::Sequential net_;
  torch::Tensor x_, y_;
  FunctionProblem problem_;
  std::unique_ptr<Maximizer> maximizer_;
};

/// Batches of 80 and 256, after both sides have been shown to reach the same values.
void register_lbfgs(Suite& suite);

}  // namespace arks::bench
