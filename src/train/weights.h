#pragma once
#include <arks/support/named_tensors.h>
#include <torch/types.h>

namespace arks {

/// The same names with copies of the values, without a graph.
inline NamedTensors copied(const NamedTensors& named) {
  NamedTensors copies;
  for (const auto& [name, tensor] : named) copies.emplace_back(name, tensor.detach().clone());
  return copies;
}

/// Writes the values into the tensors of a model's state. They must be the same in number and order.
inline void copy_into(const NamedTensors& values, NamedTensors state) {
  torch::NoGradGuard no_grad;
  for (size_t i = 0; i < state.size(); ++i) state[i].second.copy_(values[i].second);
}

}  // namespace arks
