#pragma once
// What the walks over a graph ask of one operation; the answers stand in operations.cpp.
#include <arks/model/graph.h>

#include <string>
#include <vector>

namespace arks {

/// How things are called in TorchScript while one operation is written.
struct ScriptNames {
  std::vector<std::string> inputs;  // variables
  std::optional<std::string> name;  // of the node: "block1.conv1"

  const std::string& in(size_t i) const { return inputs[i]; }
  /// "self.block1.conv1", with getattr where a part is no word, as in a Sequential.
  std::string module() const;
  /// "self.block1.conv1.weight", or None for a tensor that the operation does not have.
  std::string weight(const char* called, const torch::Tensor& tensor) const;
};

/// The lines that put the result of the operation into the variable `output`.
std::string script_lines(const Operation& operation, const std::string& output, const ScriptNames& names);

/// Shape of a sample behind the operation; Error when it does not take these.
std::vector<int64_t> shape_of(const Operation& operation, const std::vector<std::vector<int64_t>>& inputs);

/// Throws Error when it cannot read this many values, or lacks something.
void check_added(const Operation& operation, size_t inputs);

}  // namespace arks
