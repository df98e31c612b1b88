#include "script_module.h"

#include "support/complaint.h"

#include <arks/support/error.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <new>

namespace arks {

namespace {

bool same_memory(const torch::Tensor& a, const torch::Tensor& b) {
  return a.numel() > 0 && a.data_ptr() == b.data_ptr() && a.sizes() == b.sizes() && a.strides() == b.strides() &&
         a.scalar_type() == b.scalar_type();
}

/// forward(self, x), further arguments with defaults allowed.
void check_interface(const torch::jit::Module& script, const std::string& called) {
  const auto forward = script.find_method("forward");
  ARKS_CHECK(forward, called, " has no method forward");
  const auto& arguments = forward->function().getSchema().arguments();
  size_t needed = 0;
  for (const auto& argument : arguments) needed += argument.default_value() ? 0 : 1;
  ARKS_CHECK(arguments.size() >= 2 && needed <= 2, called, ": forward takes ", needed - 1,
             " arguments; a model takes one, the batch of inputs");
  ARKS_CHECK(c10::TensorType::get()->isSubtypeOf(*arguments[1].type()), called, ": forward takes a ",
             arguments[1].type()->str(), "; a model takes one tensor, the batch of inputs");
}

}  // namespace

std::string class_name(const torch::jit::Module& script) {
  const auto& name = script.type()->name();
  return name ? name->name() : "module";
}

ScriptNode::ScriptNode(torch::jit::Module script, const std::string& path, SharedParts& shared)
    : torch::nn::Module(class_name(script)), script_(std::move(script)) {
  const auto slot = script_.type()->findAttributeSlot("training");
  has_mode_ = slot && script_.type()->getAttribute(*slot)->kind() == c10::TypeKind::BoolType;
  if (has_mode_) mode_in_file_ = script_.attr("training").toBool();
  torch::nn::Module::train(mode_in_file_);
  shared.nodes.push_back(this);
  for (const auto& item : script_.named_parameters(/*recurse=*/false)) take_tensor(item.name, path, shared, true);
  for (const auto& item : script_.named_buffers(/*recurse=*/false)) take_tensor(item.name, path, shared, false);
  for (const auto& child : script_.named_children()) {
    if (!shared.modules.insert(child.value._ivalue().get()).second) continue;
    register_module(child.name, std::make_shared<ScriptNode>(child.value, path + child.name + ".", shared));
  }
}

void ScriptNode::take_tensor(const std::string& name, const std::string& path, SharedParts& shared, bool parameter) {
  const auto tensor = script_.attr(name).toTensor();
  if (!tensor.defined()) return;
  for (const auto& [known_as, known] : shared.tensors) {
    if (!same_memory(tensor, known)) continue;
    // tied weights: one tensor, so that both get one gradient and one step
    if (!tensor.is_same(known)) script_.setattr(name, known);
    return;
  }
  shared.tensors.emplace_back(path + name, tensor);
  if (parameter) {
    register_parameter(name, tensor, tensor.requires_grad());
  } else {
    register_buffer(name, tensor);
    own_buffers_.emplace_back(name, tensor);
  }
}

void ScriptNode::keep_buffers() {
  torch::NoGradGuard no_grad;
  for (auto& [name, own] : own_buffers_) {
    const auto now = script_.attr(name).toTensor();
    if (now.is_same(own) || now.sizes() != own.sizes()) continue;
    own.copy_(now);
    script_.setattr(name, own);
  }
}

void ScriptNode::train(bool on) {
  torch::nn::Module::train(on);
  write_mode(/*as_in_file=*/false);
}

void ScriptNode::write_mode(bool as_in_file) {
  if (has_mode_) script_.setattr("training", as_in_file ? mode_in_file_ : is_training());
}

bool is_of_class(const torch::jit::Module& script, const std::string& name) {
  const auto& type = script.type()->name();
  const std::string found = type ? type->qualifiedName() : "";  // with more before it, of torch
  return found.size() >= name.size() && found.compare(found.size() - name.size(), name.size(), name) == 0;
}

namespace {

/// The buffers of the scalings that to_torchscript put around the network, which may be float64.
std::set<std::string> scales_in(torch::jit::Module script) {
  std::set<std::string> names;
  std::string path;
  while (is_of_class(script, kRescaledClass) || is_of_class(script, kNormalisedClass)) {
    for (const char* name : {"mean", "deviation"}) names.insert(path + name);
    script = script.attr("net").toModule();
    path += "net.";
  }
  return names;
}

}  // namespace

ScriptModule::ScriptModule(torch::jit::Module script, std::string called)
    : ScriptModule(std::move(script), std::move(called), SharedParts()) {}

ScriptModule::ScriptModule(torch::jit::Module script, std::string called, SharedParts shared)
    : ScriptNode(std::move(script), "", shared), called_(std::move(called)), nodes_(std::move(shared.nodes)) {
  check_interface(ScriptNode::script(), called_);
  const auto scales = scales_in(ScriptNode::script());
  for (const auto& [name, tensor] : shared.tensors) {
    if (scales.count(name) > 0) continue;
    const bool fits = tensor.is_floating_point() ? tensor.scalar_type() == torch::kFloat : !tensor.is_complex();
    ARKS_CHECK(fits, called_, ": ", name, " is of type ", tensor.scalar_type(),
               "; arks computes in float32: save the module after .float()");
  }
}

torch::Tensor ScriptModule::forward(const torch::Tensor& x) {
  const torch::jit::GraphOptimizerEnabledGuard as_written(false);
  c10::IValue output;
  try {
    output = torch::jit::Module(script()).forward({x});
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    throw Error(c10::str(called_, " fails on inputs ", x.sizes(), ": ", complaint_of(failure)));
  }
  for (auto* node : nodes_) node->keep_buffers();
  ARKS_CHECK(output.isTensor(), called_, " returns ", output.isNone() ? "nothing" : "a " + output.type()->str(),
             "; a model must return one tensor [n, outputs]");
  return output.toTensor();
}

FileModesGuard::FileModesGuard(const torch::nn::Module& root) {
  for (const auto& module : root.modules()) {
    if (auto node = std::dynamic_pointer_cast<ScriptNode>(module)) nodes_.push_back(std::move(node));
  }
  for (const auto& node : nodes_) node->write_mode(/*as_in_file=*/true);
}

FileModesGuard::~FileModesGuard() {
  for (const auto& node : nodes_) node->write_mode(/*as_in_file=*/false);
}

}  // namespace arks
