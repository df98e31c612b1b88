#pragma once
#include <torch/nn/module.h>

#include <string>

namespace arks {

/// Why the graph of a module is not what it computes in training mode; empty when it is.
std::string training_obstacle(const torch::nn::Module& module);

}  // namespace arks
