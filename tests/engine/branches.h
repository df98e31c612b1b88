#pragma once
// A residual block of any two branches, for networks of tests.
#include <arks/model/graph.h>

#include "support/testing.h"

namespace arks {

/// main(x) + shortcut(x); null is the identity.
class BranchesImpl : public torch::nn::Module, public GraphSource {
 public:
  BranchesImpl(torch::nn::Sequential main, torch::nn::Sequential shortcut)
      : main_(std::move(main)), shortcut_(std::move(shortcut)) {
    if (main_) register_module("main", main_);
    if (shortcut_) register_module("shortcut", shortcut_);
  }

  torch::Tensor forward(const torch::Tensor& x) {
    return (main_ ? main_->forward(x) : x) + (shortcut_ ? shortcut_->forward(x) : x);
  }
  Graph graph() const override {
    Graph graph;
    const size_t main = main_ ? graph.append(graph_of(*main_), 0, "main") : 0;
    const size_t shortcut = shortcut_ ? graph.append(graph_of(*shortcut_), 0, "shortcut") : 0;
    graph.add(Sum{}, {main, shortcut});
    return graph;
  }
  bool trains_as_graph() const override { return true; }

 private:
  torch::nn::Sequential main_, shortcut_;
};
TORCH_MODULE(Branches);

}  // namespace arks
