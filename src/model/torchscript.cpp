#include "script_module.h"

#include <arks/model/normalised.h>
#include <arks/model/torchscript.h>
#include <arks/support/error.h>
#include <torch/script.h>

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

/// Copies of tensors: what can be trained is a parameter, the rest are buffers.
void fill(torch::jit::Module& module, const NamedTensors& tensors) {
  for (const auto& [name, tensor] : tensors) {
    const auto copy = tensor.detach().clone();
    if (tensor.requires_grad()) {
      module.register_parameter(name, copy.set_requires_grad(true), /*is_buffer=*/false);
    } else {
      module.register_buffer(name, copy);
    }
  }
}

/// The tree of modules with their tensors, those below which there are none left out.
void fill(torch::jit::Module& module, const torch::nn::Module& source, const std::string& class_name) {
  NamedTensors own;
  for (const auto& item : source.named_parameters(/*recurse=*/false)) own.emplace_back(item.key(), item.value());
  for (const auto& item : source.named_buffers(/*recurse=*/false)) own.emplace_back(item.key(), item.value());
  fill(module, own);
  for (const auto& child : source.named_children()) {
    if (child.value()->parameters().empty() && child.value()->buffers().empty()) continue;
    // a class cannot be called "0" or "in", as a layer can
    const auto child_class = class_name + "_" + child.key();
    auto submodule = evaluation_module(child_class);
    fill(submodule, *child.value(), child_class);
    module.register_module(child.key(), submodule);
  }
}

/// The script of a module's graph, which must be the module in training mode too: the file can be trained further.
std::string written(const torch::nn::Module& module) {
  const auto obstacle = training_obstacle(module);
  ARKS_CHECK(obstacle.empty(), obstacle);
  return script_of(graph_of(module));
}

/// The script that the model brings, else the one that its graph makes.
std::string source_of(const Model& model) {
  if (!model.script().empty()) return model.script();
  const auto none = c10::str("model ", model.architecture(), " brings no TorchScript source");
  ARKS_CHECK(model.module(), none);
  try {
    return written(*model.module());
  } catch (const Error& error) {
    throw Error(none + ", and none can be written: " + error.what());
  }
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
  if (model.module()) {
    fill(root, *model.module(), "arks.Layer");
  } else {
    fill(root, model.state());
  }
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
