// A TorchScript program as a graph, as far as it is a chain. What its modules are is read from the names of their
// classes and the constants that scripting keeps; in which order they are applied, from the program itself.
#include "layer_words.h"
#include "script_module.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <optional>

namespace arks {

namespace {

using Script = torch::jit::Module;
using torch::jit::Value;

/// "__torch__.torch.nn.modules.linear.Linear", without the parts that keep versions of a class apart.
std::string plain_class(const Script& script) {
  const auto& name = script.type()->name();
  if (!name) return "";
  std::vector<std::string> parts;
  for (const auto& part : name->atoms()) {
    if (part.rfind("___torch_mangle_", 0) != 0) parts.push_back(part);
  }
  return join(parts, ".");
}

/// A module of the program and its name in messages: "layer body.0 (Conv2d)".
struct Part {
  Script script;
  std::string path;

  std::string called() const { return layer_called(class_name(script), path); }

  c10::IValue constant(const char* name) const {
    if (const auto value = script.type()->findConstant(name)) return *value;
    ARKS_CHECK(script.hasattr(name), called(), " does not say its ", name,
               ", as in a traced or frozen module; torch.jit.script keeps it");
    return script.attr(name);
  }

  /// The tensor of this name; undefined when there is none.
  torch::Tensor tensor(const char* name) const {
    const auto value = script.hasattr(name) ? script.attr(name) : c10::IValue();
    return value.isTensor() ? value.toTensor().detach() : torch::Tensor();
  }

  /// The weight that every layer of its class has. A class of one's own may have taken the name.
  torch::Tensor weight(int64_t dimensions) const {
    const auto found = tensor("weight");
    ARKS_CHECK(found.defined() && found.dim() == dimensions, called(), " has no weight of ", dimensions, " dimensions");
    return found;
  }

  /// A number for both axes, or one for each.
  Extent extent(const char* name) const {
    const auto value = constant(name);
    if (value.isInt()) return {value.toInt(), value.toInt()};
    std::vector<c10::IValue> both;
    if (value.isTuple()) both = value.toTupleRef().elements().vec();
    if (value.isList()) both = value.toListRef().vec();
    ARKS_CHECK(both.size() == 2 && both[0].isInt() && both[1].isInt(), called(), ": its ", name, " is not supported");
    return {both[0].toInt(), both[1].toInt()};
  }
};

Operation convolution(const Part& part) {
  ARKS_CHECK(part.constant("padding_mode").toStringRef() == "zeros" && !part.constant("padding").isString(),
             part.called(), ": only zero padding given in numbers is supported");
  Convolution layer{part.weight(4), part.tensor("bias")};
  layer.stride = part.extent("stride");
  layer.padding = part.extent("padding");
  layer.dilation = part.extent("dilation");
  layer.groups = part.constant("groups").toInt();
  return layer;
}

Operation max_pool(const Part& part) {
  ARKS_CHECK(!part.constant("ceil_mode").toBool() && (part.extent("dilation") == Extent{1, 1}) &&
                 !part.constant("return_indices").toBool(),
             part.called(), not_known::kMaxPooling);
  return MaxPool{part.extent("kernel_size"), part.extent("stride"), part.extent("padding")};
}

Operation average_pool(const Part& part) {
  const auto padding = part.extent("padding");
  ARKS_CHECK(!part.constant("ceil_mode").toBool() && part.constant("divisor_override").isNone() &&
                 (part.constant("count_include_pad").toBool() || (padding == Extent{0, 0})),
             part.called(), not_known::kAveragePooling);
  return AveragePool{part.extent("kernel_size"), part.extent("stride"), padding};
}

Operation batch_norm(const Part& part) {
  const auto mean = part.tensor("running_mean");
  ARKS_CHECK(mean.defined(), part.called(), not_known::kBatchNorm);
  return BatchNorm{mean, part.tensor("running_var"), part.tensor("weight"), part.tensor("bias"),
                   part.constant("eps").toDouble()};
}

Operation flatten(const Part& part) {
  ARKS_CHECK(part.constant("start_dim").toInt() == 1 && part.constant("end_dim").toInt() == -1, part.called(),
             not_known::kFlattening);
  return Flatten{};
}

/// Puts the layer that a class of torch.nn is behind the graph; false when the class is not known.
bool append_known(const Part& part, Graph& graph) {
  static const std::map<std::string, Operation (*)(const Part&)> known{
      {"linear.Linear",
       [](const Part& p) -> Operation {
         return Dense{p.weight(2), p.tensor("bias")};
       }},
      {"conv.Conv2d", convolution},
      {"pooling.MaxPool2d", max_pool},
      {"pooling.AvgPool2d", average_pool},
      {"batchnorm.BatchNorm1d", batch_norm},
      {"batchnorm.BatchNorm2d", batch_norm},
      {"flatten.Flatten", flatten},
      {"activation.ELU", [](const Part& p) -> Operation { return Elu{p.constant("alpha").toDouble()}; }},
      {"activation.ReLU", [](const Part&) -> Operation { return Relu{}; }},
      {"activation.LeakyReLU",
       [](const Part& p) { return Operation(LeakyRelu{p.constant("negative_slope").toDouble()}); }},
      {"activation.Tanh", [](const Part&) -> Operation { return Tanh{}; }},
      {"activation.Sigmoid", [](const Part&) -> Operation { return Sigmoid{}; }},
      // these do nothing in evaluation mode
      {"dropout.Dropout", nullptr},
      {"dropout.Dropout2d", nullptr},
      {"linear.Identity", nullptr},
  };
  const std::string torch_nn = "__torch__.torch.nn.modules.";
  const auto name = plain_class(part.script);
  const auto found = name.rfind(torch_nn, 0) == 0 ? known.find(name.substr(torch_nn.size())) : known.end();
  if (found == known.end()) return false;
  if (found->second != nullptr) graph.add(found->second(part), {graph.output}, part.path);
  return true;
}

void append(const Part& part, Graph& graph);

/// A function of torch between the layers: torch.relu(x), torch.flatten(x, 1), …
std::optional<Operation> function(const torch::jit::Node& node) {
  const std::string operation = node.kind().toQualString();
  const bool alone = node.inputs().size() == 1;
  if (operation == "aten::relu" && alone) return Relu{};
  if (operation == "aten::tanh" && alone) return Tanh{};
  if (operation == "aten::sigmoid" && alone) return Sigmoid{};
  if (operation == "aten::flatten" && node.inputs().size() == 3) {
    const auto start = torch::jit::constant_as<int64_t>(node.input(1));
    const auto end = torch::jit::constant_as<int64_t>(node.input(2));
    if (start && end && *start == 1 && *end == -1) return Flatten{};
  }
  return std::nullopt;
}

/// A module whose forward passes x from one child to the next and does nothing else.
void append_chain(const Part& part, Graph& graph) {
  const auto refuse = [&](const std::string& why) {
    throw Error(part.called() + ": " + why + "; use a torch.nn.Sequential of known layers");
  };
  const auto program = part.script.get_method("forward").graph();
  if (program->inputs().size() != 2 || program->outputs().size() != 1)
    refuse("it must take one input and give one output");
  std::map<const Value*, std::string> children;
  const Value* at = program->inputs()[1];
  for (const auto* node : program->nodes()) {
    if (node->kind() == c10::prim::Constant) continue;
    if (node->kind() == c10::prim::GetAttr && node->input(0) == program->inputs()[0]) {
      children[node->output(0)] = node->s(c10::attr::name);
      continue;
    }
    const auto takes = [&](size_t index) { return index < node->inputs().size() && node->input(index) == at; };
    if (node->kind() == c10::prim::CallMethod && node->s(c10::attr::name) == "forward" && takes(1) &&
        node->inputs().size() == 2 && children.count(node->input(0)) == 1) {
      const auto& name = children.at(node->input(0));
      append({part.script.attr(name).toModule(), part.path.empty() ? name : part.path + "." + name}, graph);
    } else if (const auto operation = takes(0) ? function(*node) : std::nullopt) {
      graph.then(*operation);
    } else {
      refuse("its forward is not a plain chain of layers (" + std::string(node->kind().toUnqualString()) + ")");
    }
    at = node->output(0);
  }
  if (program->outputs()[0] != at) refuse("its forward is not a plain chain of layers");
}

void append(const Part& part, Graph& graph) {
  const auto& type = *part.script.type();
  ARKS_CHECK(type.getForwardHooks().empty() && type.getForwardPreHooks().empty(), part.called(), " has hooks");
  if (!append_known(part, graph)) append_chain(part, graph);
}

}  // namespace

Graph ScriptModule::graph() const {
  Graph graph;
  append({script(), ""}, graph);
  return graph;
}

}  // namespace arks
