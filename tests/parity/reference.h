#pragma once
// The named tensors that a script of this folder has written (tensors.py).
#include <torch/script.h>

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

}  // namespace arks::testing
