#pragma once
// A residual block of any two branches, for networks of tests.
#include <arks/model/layers.h>

#include "support/testing.h"

namespace arks {

/// main(x) + shortcut(x); null is the identity.
class BranchesImpl : public torch::nn::Module, public Layered {
 public:
  BranchesImpl(torch::nn::Sequential main, torch::nn::Sequential shortcut)
      : main_(std::move(main)), shortcut_(std::move(shortcut)) {
    if (main_) register_module("main", main_);
    if (shortcut_) register_module("shortcut", shortcut_);
  }

  torch::Tensor forward(const torch::Tensor& x) {
    return (main_ ? main_->forward(x) : x) + (shortcut_ ? shortcut_->forward(x) : x);
  }
  Layers layers() const override {
    return {Residual{main_ ? layers_of(*main_) : Layers(), shortcut_ ? layers_of(*shortcut_) : Layers()}};
  }
  bool trains_as_listed() const override { return true; }

 private:
  torch::nn::Sequential main_, shortcut_;
};
TORCH_MODULE(Branches);

}  // namespace arks
