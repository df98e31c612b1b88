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

}  // namespace arks
