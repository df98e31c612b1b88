// What tracing leaves behind in a program: layers whose mode is written into it.
#include "script_module.h"

#include <arks/model/torchscript.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>

#include <optional>

namespace arks {

namespace {

struct Found {
  bool norm_eval = false, norm_train = false, dropout_eval = false, dropout_train = false;
};

/// The value of an operator's argument when it is written into the program.
std::optional<bool> fixed_argument(const torch::jit::Node& node, const char* name) {
  const auto* schema = node.maybeSchema();
  const auto index = schema == nullptr ? c10::nullopt : schema->argumentIndexWithName(name);
  if (!index || static_cast<size_t>(*index) >= node.inputs().size()) return std::nullopt;
  const auto value = torch::jit::constant_as<bool>(node.input(static_cast<size_t>(*index)));
  return value ? std::optional<bool>(*value) : std::nullopt;
}

void look(const torch::jit::Block& block, Found& found) {
  for (const auto* node : block.nodes()) {
    const std::string operation = node->kind().toQualString();
    if (operation == "aten::batch_norm") {
      if (const auto fixed = fixed_argument(*node, "training")) (*fixed ? found.norm_train : found.norm_eval) = true;
    } else if (operation.find("dropout") != std::string::npos) {
      if (const auto fixed = fixed_argument(*node, "train")) (*fixed ? found.dropout_train : found.dropout_eval) = true;
    }
    for (const auto* inner : node->blocks()) look(*inner, found);
  }
}

}  // namespace

TorchScriptNotes torchscript_notes(const Model& model) {
  TorchScriptNotes sentences;
  const auto* script = script_in(model);
  if (script == nullptr) return sentences;
  const auto graph = script->script().get_method("forward").graph()->copy();
  torch::jit::Inline(*graph);
  Found found;
  look(*graph->block(), found);
  sentences.fixed_batch_norm = found.norm_train || found.norm_eval;
  const auto say = [&](bool when, std::vector<std::string>& where, const char* text) {
    if (when) where.push_back(script->called() + ": " + text);
  };
  say(found.norm_train, sentences.warnings,
      "its batch norm was traced in training mode: predictions depend on the other samples of a batch and move its "
      "statistics; trace the module after .eval(), or script it");
  say(found.dropout_train, sentences.warnings,
      "its dropout was traced in training mode: predictions are random; trace the module after .eval(), or script it");
  say(found.norm_eval, sentences.notes,
      "its batch norm was traced in evaluation mode and stays so: training does not move its statistics; script the "
      "module if it should");
  say(found.dropout_eval, sentences.notes,
      "its dropout was traced in evaluation mode and does nothing in training; script the module if it should");
  return sentences;
}

}  // namespace arks
