#pragma once
#include <arks/model/layers.h>

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

/// In place: the result alone is kept for the backward pass, and ELU's derivative needs no exponential then. x is the
/// fresh output of a layer whose own backward pass does not look at it.
torch::Tensor activate_(Activation activation, torch::Tensor x);

/// The same as a layer of a network as data, and as a call in TorchScript on the expression `x`.
Layer layer_of(Activation activation);
std::string script_of(Activation activation, const std::string& x);

}  // namespace arks
