#pragma once
// A TorchScript program as a torch::nn::Module, so that everything that knows modules knows it.
#include <arks/model/graph.h>
#include <arks/support/named_tensors.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/nn/module.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace arks {

/// The file in an archive that says what the model takes and gives.
constexpr const char* kInterfaceFile = "arks.json";

/// The classes of what to_torchscript puts around a network, with buffers `mean` and `deviation` and a submodule `net`.
constexpr const char* kNormalisedClass = "arks.Normalised";
constexpr const char* kRescaledClass = "arks.Rescaled";
/// Whether a program is of the class of this name.
bool is_of_class(const torch::jit::Module& script, const std::string& name);

class ScriptNode;

/// Modules and tensors that were met while a program was walked through: what is shared is registered once.
struct SharedParts {
  std::set<const void*> modules;
  std::vector<ScriptNode*> nodes;
  NamedTensors tensors;
};

/// One module of the program: the same tensors under the same names, children likewise. Its mode is the attribute
/// `training` where the program has one.
class ScriptNode : public torch::nn::Module {
 public:
  ScriptNode(torch::jit::Module script, const std::string& path, SharedParts& shared);
  void train(bool on = true) override;

  const torch::jit::Module& script() const { return script_; }
  /// Sets the attribute, where there is one, to what the file has, or back to the mode of now.
  void write_mode(bool as_in_file);
  /// Programs may put a new tensor where a buffer was, as batch norm once did with its counter. Its value goes into the
  /// tensor that is registered here, and that back into the program.
  void keep_buffers();

 private:
  void take_tensor(const std::string& name, const std::string& path, SharedParts& shared, bool parameter);

  torch::jit::Module script_;
  NamedTensors own_buffers_;  // those that are registered here
  bool has_mode_ = false, mode_in_file_ = true;
};

/// A whole program. What torch says about a failure inside becomes one line of Error.
class ScriptModule : public ScriptNode, public GraphSource {
 public:
  /// `called` is the name in messages: the file. Throws Error when forward does not take one tensor, or weights are not
  /// float32.
  ScriptModule(torch::jit::Module script, std::string called);

  /// Files that the user put beside the program (_extra_files in Python); they are saved again.
  torch::jit::ExtraFilesMap extra_files;

  /// Runs the program as it is written, without the optimising executor, whose rewritten graphs round otherwise from
  /// the third call on: a run that goes on from a checkpoint must end in the same bits.
  torch::Tensor forward(const torch::Tensor& x);

  /// See script_graph.cpp. Throws Error for what is not known.
  Graph graph() const override;

  const std::string& called() const { return called_; }

 private:
  ScriptModule(torch::jit::Module script, std::string called, SharedParts shared);
  std::string called_;
  std::vector<ScriptNode*> nodes_;  // itself and all below, which it owns
};

/// While it lives, the attributes `training` of all programs in a tree of modules are as in their files.
class FileModesGuard {
 public:
  explicit FileModesGuard(const torch::nn::Module& root);
  ~FileModesGuard();
  FileModesGuard(const FileModesGuard&) = delete;
  FileModesGuard& operator=(const FileModesGuard&) = delete;

 private:
  std::vector<std::shared_ptr<ScriptNode>> nodes_;
};

/// The program behind a model of load_torchscript, whatever was put around it; null for others.
const ScriptModule* script_in(const Model& model);

/// "Linear": the class without the place where it was written.
std::string class_name(const torch::jit::Module& script);

}  // namespace arks
