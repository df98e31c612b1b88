#include "operations.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cctype>

namespace arks {

namespace {

template <typename Kind>
bool is(const Operation& operation) {
  return std::holds_alternative<Kind>(operation);
}

/// True when node i may overwrite what it reads: no other reads it, and it is the fresh output of an operation whose
/// own backward pass does not look at it.
bool may_overwrite(const Graph& graph, size_t i, const std::vector<size_t>& readers) {
  const size_t value = graph.nodes[i].reads[0];
  if (value == 0 || readers[value] != 1) return false;
  const auto& writer = graph.nodes[value - 1].operation;
  return is<Dense>(writer) || is<Convolution>(writer) || is<MaxPool>(writer) || is<AveragePool>(writer) ||
         is<BatchNorm>(writer) || is<Sum>(writer) || is<Concatenation>(writer);
}

std::string variable(size_t value) {
  return value == 0 ? "x" : c10::str("h", value);
}

}  // namespace

Graph::Graph(std::initializer_list<Operation> chain) {
  for (const auto& operation : chain) then(operation);
}

size_t Graph::add(Operation operation, std::vector<size_t> reads, std::optional<std::string> name) {
  check_added(operation, reads.size());
  for (const size_t value : reads) {
    ARKS_CHECK(value <= nodes.size(), describe(operation), ": there is no value ", value, " yet");
  }
  if (weights_of(operation).empty()) name.reset();
  nodes.push_back({std::move(operation), std::move(reads), std::move(name)});
  return output = nodes.size();
}

size_t Graph::append(const Graph& other, size_t at, const std::string& prefix) {
  const size_t before = nodes.size();
  const auto moved = [&](size_t value) { return value == 0 ? at : before + value; };
  for (const auto& node : other.nodes) {
    std::vector<size_t> reads;
    for (const size_t value : node.reads) reads.push_back(moved(value));
    auto name = node.name;
    if (name) name = prefix.empty() || name->empty() ? prefix + *name : prefix + "." + *name;
    add(node.operation, std::move(reads), std::move(name));
  }
  return output = moved(other.output);
}

std::vector<size_t> Graph::readers() const {
  std::vector<size_t> count(nodes.size() + 1, 0);
  count[output] = 1;
  for (size_t i = output; i-- > 0;) {
    if (count[i + 1] == 0) continue;
    for (const size_t value : nodes[i].reads) ++count[value];
  }
  return count;
}

torch::Tensor forward(const Graph& graph, const torch::Tensor& x, const std::function<bool(size_t)>& training) {
  const auto readers = graph.readers();
  auto left = readers;  // whoever reads a value last lets go of it
  std::vector<torch::Tensor> values(graph.output + 1);
  values[0] = x;
  for (size_t i = 0; i < graph.output; ++i) {
    if (readers[i + 1] == 0) continue;
    const auto& node = graph.nodes[i];
    std::vector<torch::Tensor> inputs;
    for (const size_t value : node.reads) {
      inputs.push_back(values[value]);
      if (--left[value] == 0) values[value] = torch::Tensor();
    }
    values[i + 1] = evaluate(node.operation, inputs, training && training(i), may_overwrite(graph, i, readers));
  }
  return values[graph.output];
}

std::string ScriptNames::module() const {
  ARKS_CHECK(name, "TorchScript: weights that are constants have no name in the model");
  std::string path = "self";
  for (const auto& part : split(*name, '.')) {
    const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    const bool word = std::isdigit(static_cast<unsigned char>(part.front())) == 0;
    ARKS_CHECK(std::all_of(part.begin(), part.end(), fits), "TorchScript: a layer cannot be called '", part,
               "'; letters, digits and _ make a name");
    path = word ? path + "." + part : "getattr(" + path + ", \"" + part + "\")";
  }
  return path;
}

std::string ScriptNames::weight(const char* called, const torch::Tensor& tensor) const {
  return tensor.defined() ? module() + "." + called : "None";
}

std::string script_of(const Graph& graph) {
  const auto readers = graph.readers();
  std::string text = "def forward(self, x):\n";
  for (size_t i = 0; i < graph.output; ++i) {
    if (readers[i + 1] == 0) continue;
    const auto& node = graph.nodes[i];
    ScriptNames names{{}, node.name};
    for (const size_t value : node.reads) names.inputs.push_back(variable(value));
    text += script_lines(node.operation, variable(i + 1), names);
  }
  return text + "    return " + variable(graph.output) + "\n";
}

std::vector<std::vector<int64_t>> shapes_of(const Graph& graph, torch::IntArrayRef input_shape) {
  std::vector<std::vector<int64_t>> shapes{input_shape.vec()};
  for (const auto& node : graph.nodes) {
    std::vector<std::vector<int64_t>> inputs;
    for (const size_t value : node.reads) inputs.push_back(shapes[value]);
    shapes.push_back(shape_of(node.operation, inputs));
  }
  return shapes;
}

}  // namespace arks
