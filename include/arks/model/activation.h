#pragma once
#include <arks/model/graph.h>

#include <string>
#include <vector>

namespace arks {

/// The activation of a network that lets one choose. All are monotone and 1-Lipschitz; ELU alone is once
/// differentiable, which smoothness bounds of certificates need.
enum class Activation {
  kRelu,       ///< max(x, 0)
  kElu,        ///< x for x > 0, eˣ − 1 otherwise
  kLeakyRelu,  ///< x for x > 0, 0.01·x otherwise
};

/// "relu", "elu", "leaky-relu"; throws Error with the nearest name for another.
Activation parse_activation(const std::string& name);
std::vector<std::string> activation_names();

/// The activation as an operation of a graph.
Operation operation_of(Activation activation);

}  // namespace arks
