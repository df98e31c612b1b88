#include <arks/model/activation.h>

#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks {

// in the order of the enumeration
std::vector<std::string> activation_names() {
  return {"relu", "elu", "leaky-relu"};
}

Activation parse_activation(const std::string& name) {
  const auto names = activation_names();
  const auto found = std::find(names.begin(), names.end(), name);
  ARKS_CHECK(found != names.end(), "unknown activation '", name, "'", did_you_mean(name, names),
             "; known: ", join(names));
  return static_cast<Activation>(found - names.begin());
}

Operation operation_of(Activation activation) {
  if (activation == Activation::kRelu) return Relu{};
  if (activation == Activation::kElu) return Elu{};
  return LeakyRelu{0.01};
}

}  // namespace arks
