#pragma once
#include <arks/model/model.h>

namespace arks {

/// Type of the first tensor that can hold fractions: counters of batches are whole numbers in any model. float32 for a
/// model without any.
inline torch::ScalarType floating_type(const Model& model) {
  for (const auto& [name, tensor] : model.state()) {
    if (tensor.is_floating_point()) return tensor.scalar_type();
  }
  return torch::kFloat;
}

}  // namespace arks
