#include "script_module.h"

#include <arks/model/normalised.h>
#include <arks/model/torchscript.h>
#include <arks/support/error.h>
#include <arks/support/text.h>
#include <torch/script.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace arks {

namespace {

/// A module in evaluation mode. Python's model.eval(), model.train() and model.training need the attribute.
torch::jit::Module evaluation_module(const std::string& name) {
  torch::jit::Module module(name);
  module.register_attribute("training", c10::BoolType::get(), false);
  return module;
}

/// The modules that the names of the weights speak of: "stage1.block0.conv1.weight" is a parameter "weight" in a
/// module "conv1" in "block0" in "stage1"; a name without a dot belongs to the root. In the order of the names.
struct Node {
  std::vector<std::pair<std::string, torch::Tensor>> tensors;
  std::vector<std::pair<std::string, Node>> children;

  Node& child(const std::string& name) {
    for (auto& [known, node] : children) {
      if (known == name) return node;
    }
    return children.emplace_back(name, Node()).second;
  }
};

Node tree_of(const NamedTensors& state) {
  Node root;
  for (const auto& [name, tensor] : state) {
    auto path = split(name, '.');
    const auto weight = path.empty() ? std::string() : path.back();
    ARKS_CHECK(std::find(path.begin(), path.end(), "") == path.end() && !weight.empty(),
               "TorchScript: a weight must be named weight or layer.weight, got '", name, "'");
    path.pop_back();
    Node* node = &root;
    for (const auto& part : path) node = &node->child(part);
    node->tensors.emplace_back(weight, tensor);
  }
  return root;
}

void fill(torch::jit::Module& module, const Node& node, const std::string& class_name) {
  for (const auto& [name, tensor] : node.tensors) {
    const auto copy = tensor.detach().clone();
    if (tensor.requires_grad()) {
      module.register_parameter(name, copy.set_requires_grad(true), /*is_buffer=*/false);
    } else {
      module.register_buffer(name, copy);
    }
  }
  for (const auto& [name, child] : node.children) {
    // a class cannot be called "0" or "in", as a layer can
    const auto child_class = class_name + "_" + name;
    auto submodule = evaluation_module(child_class);
    fill(submodule, child, child_class);
    module.register_module(name, submodule);
  }
}

/// The script that the model brings, else the one that its graph makes.
std::string source_of(const Model& model) {
  if (!model.script().empty()) return model.script();
  const auto* source = dynamic_cast<const GraphSource*>(model.module().get());
  ARKS_CHECK(source != nullptr && source->trains_as_graph(), "model ", model.architecture(),
             " brings no TorchScript source");
  return script_of(source->graph());
}

torch::jit::Module program_of(const Model& model) {
  if (const auto script = std::dynamic_pointer_cast<ScriptModule>(model.module())) return script->script();
  if (const auto scaled = std::dynamic_pointer_cast<NormalisedImpl>(model.module())) {
    auto root = evaluation_module("arks.Normalised");
    root.register_buffer("mean", scaled->mean().clone());
    root.register_buffer("deviation", scaled->deviation().clone());
    root.register_module("net", program_of(scaled->net()));
    root.define(NormalisedImpl::script());
    return root;
  }
  auto root = evaluation_module("arks.Model");
  fill(root, tree_of(model.state()), "arks.Layer");
  root.define(source_of(model));
  return root;
}

}  // namespace

std::string to_torchscript(const Model& model) {
  std::optional<FileModesGuard> modes;
  if (model.module()) modes.emplace(*model.module());
  std::ostringstream bytes;
  const auto* own = script_in(model);
  program_of(model).save(bytes, own != nullptr ? own->extra_files : torch::jit::ExtraFilesMap());
  return std::move(bytes).str();
}

}  // namespace arks
