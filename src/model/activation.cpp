#include <arks/model/activation.h>

#include "support/text.h"

namespace arks {

// in the order of the enumeration
std::vector<std::string> activation_names() {
  return {"relu", "elu", "leaky-relu"};
}

Activation parse_activation(const std::string& name) {
  return named_value<Activation>(name, activation_names(), "activation");
}

Operation operation_of(Activation activation) {
  if (activation == Activation::kRelu) return Relu{};
  if (activation == Activation::kElu) return Elu{};
  return LeakyRelu{0.01};
}

}  // namespace arks
