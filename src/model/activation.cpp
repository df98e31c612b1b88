#include <arks/model/activation.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

namespace arks {

namespace {

struct Entry {
  Activation activation;
  const char* name;
};

constexpr Entry kActivations[] = {
    {Activation::kRelu, "relu"},
    {Activation::kElu, "elu"},
    {Activation::kLeakyRelu, "leaky-relu"},
};

}  // namespace

Activation parse_activation(const std::string& name) {
  for (const auto& entry : kActivations) {
    if (name == entry.name) return entry.activation;
  }
  throw Error("unknown activation '" + name + "'" + did_you_mean(name, activation_names()) +
              "; known: " + join(activation_names()));
}

std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (const auto& entry : kActivations) names.emplace_back(entry.name);
  return names;
}

Operation operation_of(Activation activation) {
  if (activation == Activation::kRelu) return Relu{};
  if (activation == Activation::kElu) return Elu{};
  return LeakyRelu{0.01};
}

}  // namespace arks
