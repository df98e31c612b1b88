#pragma once
// The named tensors that a script of this folder has written (tensors.py).
#include "support/file.h"
#include "support/testing.h"

#include <torch/script.h>

#include <cstdlib>
#include <string>

namespace arks::testing {

class Reference {
 public:
  explicit Reference(const std::string& path) : shelf_(torch::jit::load(path)) {}
  torch::Tensor operator[](std::string name) const {
    for (char& c : name) c = c == '.' ? '_' : c;
    return shelf_.attr(name).toTensor();
  }

 private:
  torch::jit::Module shelf_;
};

/// What Python finds in the saved model, for the tensor x (load_model.py).
inline Reference opened_by_python(const Model& model, const torch::Tensor& x) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "model.pt", to_torchscript(model));
  torch::jit::Module inputs("inputs");
  inputs.register_buffer("x", x);
  inputs.save((folder / "inputs.pt").string());
  std::string command = "\"" ARKS_PYTHON "\" -B \"" ARKS_PARITY_SOURCES "/load_model.py\"";
  for (const char* file : {"model.pt", "inputs.pt", "found.pt"}) command += " \"" + (folder / file).string() + "\"";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT(concurrency-mt-unsafe)
  return Reference((folder / "found.pt").string());
}

}  // namespace arks::testing
