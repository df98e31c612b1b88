#include <arks/model/activation.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

namespace arks {

namespace {

struct Entry {
  Activation activation;
  const char* name;
  const char* script;  // what stands around the argument
};

constexpr double kSlope = 0.01;
constexpr Entry kActivations[] = {
    {Activation::kRelu, "relu", "torch.relu("},
    {Activation::kElu, "elu", "torch.elu("},
    {Activation::kLeakyRelu, "leaky-relu", "torch.leaky_relu("},  // its slope is 0.01 if none is given
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

torch::Tensor activate_(Activation activation, torch::Tensor x) {
  if (activation == Activation::kRelu) return torch::relu_(x);
  if (activation == Activation::kElu) return torch::elu_(x);
  return torch::leaky_relu_(x, kSlope);
}

Layer layer_of(Activation activation) {
  if (activation == Activation::kRelu) return Relu{};
  if (activation == Activation::kElu) return Elu{};
  return LeakyRelu{kSlope};
}

std::string script_of(Activation activation, const std::string& x) {
  for (const auto& entry : kActivations) {
    if (activation == entry.activation) return entry.script + x + ")";
  }
  throw Error("activation: the value is none of the enumeration");
}

}  // namespace arks
