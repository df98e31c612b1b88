#include "script_module.h"
#include "support/complaint.h"

#include <arks/model/normalised.h>
#include <arks/model/rescaled.h>
#include <arks/model/torchscript.h>
#include <arks/model/two_logits.h>
#include <arks/support/error.h>
#include <torch/script.h>

#include <map>
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

/// Copies of tensors into modules: what can be trained is a parameter, the rest are buffers. A tensor that stands in
/// two places is copied once, so that weights which are tied stay so.
class Copier {
 public:
  void fill(torch::jit::Module& module, const NamedTensors& tensors) {
    for (const auto& [name, tensor] : tensors) {
      auto& copy = copies_[tensor.unsafeGetTensorImpl()];
      if (!copy.defined()) copy = tensor.detach().clone().set_requires_grad(tensor.requires_grad());
      module.register_parameter(name, copy, /*is_buffer=*/!tensor.requires_grad());
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
      const auto child_class = class_name + "_" + child.key();  // a class cannot be called "0", as a layer can
      auto submodule = evaluation_module(child_class);
      fill(submodule, *child.value(), child_class);
      module.register_module(child.key(), submodule);
    }
  }

 private:
  std::map<const void*, torch::Tensor> copies_;
};

/// The script that the model brings, else the one that its graph makes. That must be the module in training mode too,
/// since the file can be trained further.
std::string source_of(const Model& model) {
  if (!model.script().empty()) return model.script();
  const auto none = c10::str("model ", model.architecture(), " has no TorchScript source");
  ARKS_CHECK(model.module(), none);
  try {
    return script_of(training_graph_of(*model.module()));
  } catch (const Error& error) {
    throw Error(none + ", and none can be written: " + error.what());
  }
}

torch::jit::Module program_of(const Model& model) {
  if (const auto script = std::dynamic_pointer_cast<ScriptModule>(model.module())) return script->script();
  if (const auto split = std::dynamic_pointer_cast<TwoLogitsImpl>(model.module())) return program_of(split->net());
  if (const auto scaled = std::dynamic_pointer_cast<NormalisedImpl>(model.module())) {
    auto root = evaluation_module(kNormalisedClass);
    root.register_buffer("mean", scaled->mean().clone());
    root.register_buffer("deviation", scaled->deviation().clone());
    root.register_module("net", program_of(scaled->net()));
    root.define(scaled->precise()
                    ? "def forward(self, x: Tensor) -> Tensor:\n    return self.net.forward(((x.double() - "
                      "self.mean) / self.deviation).float())\n"
                    : "def forward(self, x: Tensor) -> Tensor:\n    return self.net.forward((x - "
                      "self.mean) / self.deviation)\n");
    return root;
  }
  if (const auto scaled = std::dynamic_pointer_cast<RescaledImpl>(model.module())) {
    auto root = evaluation_module(kRescaledClass);
    const auto type = scaled->precise() ? torch::kDouble : torch::kFloat;
    root.register_buffer("mean", scaled->mean().to(type));
    root.register_buffer("deviation", scaled->deviation().to(type));
    root.register_module("net", program_of(scaled->net()));
    root.define(c10::str("def forward(self, x: Tensor) -> Tensor:\n    return self.net.forward(x)",
                         scaled->precise() ? ".double()" : "", " * self.deviation + self.mean\n"));
    return root;
  }
  auto root = evaluation_module("arks.Model");
  if (model.module()) {
    Copier().fill(root, *model.module(), "arks.Layer");
  } else {
    Copier().fill(root, model.state());
  }
  const auto source = source_of(model);
  try {
    root.define(source);
  } catch (const std::exception& failure) {  // a layer that is called as a word of Python is, for instance
    throw Error(c10::str("model ", model.architecture(), " is not valid TorchScript: ", complaint_of(failure)));
  }
  return root;
}

}  // namespace

std::string to_torchscript(const Model& model, const std::string& interface) {
  std::optional<FileModesGuard> modes;
  if (model.module()) modes.emplace(*model.module());
  std::ostringstream bytes;
  const auto* own = script_in(model);
  auto files = own != nullptr ? own->extra_files : torch::jit::ExtraFilesMap();
  if (!interface.empty()) files[kInterfaceFile] = interface;
  program_of(model).save(bytes, files);
  return std::move(bytes).str();
}

}  // namespace arks
