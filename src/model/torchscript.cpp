#include <arks/model/torchscript.h>
#include <arks/support/error.h>
#include <torch/script.h>

#include <map>
#include <sstream>

namespace arks {

namespace {

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
    if (found == modules.end()) found = modules.emplace(layer, torch::jit::Module("arks." + layer)).first;
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
  torch::jit::Module root("arks.Model");
  for (const auto& [name, module] : submodules(model.state())) root.register_module(name, module);
  root.define(model.script());
  root.eval();
  std::ostringstream bytes;
  root.save(bytes);
  return std::move(bytes).str();
}

}  // namespace arks
