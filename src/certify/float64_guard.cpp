#include "float64_guard.h"

#include <algorithm>

namespace arks {

Float64Guard::Float64Guard(Problem& problem) {
  auto tensors = problem.parameters();
  for (const auto& [name, tensor] : problem.state()) tensors.push_back(tensor);
  for (auto& tensor : tensors) {
    // a tensor met for the second time, or one that shares weights with another, is float64 already
    if (!tensor.is_floating_point() || tensor.scalar_type() == torch::kDouble) continue;
    const auto memory = tensor.detach();
    tensor.set_data(memory.to(torch::kDouble));
    originals_.emplace_back(tensor, memory);
  }
}

Float64Guard::~Float64Guard() {
  for (auto& [tensor, memory] : originals_) tensor.set_data(memory);
}

}  // namespace arks
