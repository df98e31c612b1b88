#pragma once
#include <torch/types.h>

#include <cmath>

namespace arks {

/// Bias and weight of a layer from U(±1/√fan_in), torch's default, drawn from the generator that was handed over.
inline void initialise_uniform(torch::Tensor& tensor, int64_t fan_in, torch::Generator& generator) {
  torch::NoGradGuard no_grad;
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  tensor.uniform_(-bound, bound, generator);
}

/// Xavier uniform, U(±√(6/(fan_in+fan_out))), for a dense weight [out,in] (Glorot and Bengio 2010).
inline void initialise_xavier(torch::Tensor& weight, torch::Generator& generator) {
  torch::NoGradGuard no_grad;
  const double bound = std::sqrt(6.0 / static_cast<double>(weight.size(0) + weight.size(1)));
  weight.uniform_(-bound, bound, generator);
}

/// Kaiming normal, N(0, 2/fan_in), for a weight [out,in,...]: activations keep their size on the way forward behind
/// ReLU (He et al. 2015; torch's kaiming_normal_ with its defaults).
inline void initialise_kaiming(torch::Tensor& weight, torch::Generator& generator) {
  torch::NoGradGuard no_grad;
  weight.normal_(0, std::sqrt(2.0 / static_cast<double>(weight[0].numel())), generator);
}

/// N(0, deviation²)
inline void initialise_normal(torch::Tensor& weight, double deviation, torch::Generator& generator) {
  torch::NoGradGuard no_grad;
  weight.normal_(0, deviation, generator);
}

}  // namespace arks
