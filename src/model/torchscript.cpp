#include <arks/model/torchscript.h>
#include <arks/support/error.h>
#include <torch/script.h>

#include <map>
#include <sstream>

namespace arks {

namespace {

/// A module in evaluation mode. Python's model.eval(), model.train() and model.training need the attribute.
torch::jit::Module evaluation_module(const std::string& name) {
  torch::jit::Module module(name);
  module.register_attribute("training", c10::BoolType::get(), false);
  return module;
}

/// "conv1.weight" → a parameter "weight" of a submodule "conv1". Names deeper than that are not needed by any network
/// yet and are refused.
std::map<std::string, torch::jit::Module> submodules(const NamedTensors& state) {
  std::map<std::string, torch::jit::Module> modules;
  for (const auto& [name, tensor] : state) {
    const auto dot = name.find('.');
    ARKS_CHECK(dot != std::string::npos && name.find('.', dot + 1) == std::string::npos,
               "TorchScript: a weight must be named layer.weight, got ", name);
    const auto layer = name.substr(0, dot);
    auto found = modules.find(layer);
    if (found == modules.end()) found = modules.emplace(layer, evaluation_module("arks." + layer)).first;
    const auto copy = tensor.detach().clone();
    if (tensor.requires_grad()) {
      found->second.register_parameter(name.substr(dot + 1), copy.set_requires_grad(true), /*is_buffer=*/false);
    } else {
      found->second.register_buffer(name.substr(dot + 1), copy);
    }
  }
  return modules;
}

}  // namespace

std::string to_torchscript(const Model& model) {
  ARKS_CHECK(!model.script().empty(), "model ", model.architecture(), " brings no TorchScript source");
  auto root = evaluation_module("arks.Model");
  for (const auto& [name, module] : submodules(model.state())) root.register_module(name, module);
  root.define(model.script());
  std::ostringstream bytes;
  root.save(bytes);
  return std::move(bytes).str();
}

}  // namespace arks
