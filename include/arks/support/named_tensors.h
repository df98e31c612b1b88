#pragma once
#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

namespace arks {

/// Parameters and buffers with their names, in a fixed order.
using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

}  // namespace arks
