#pragma once
// A network with a branch, a concatenation and a sum, for the tests of everything that walks a graph.
#include <arks/model/graph_module.h>

namespace arks::testing {

/// x [n,3,8,6] → [n,4]: h = ELU(norm(conv x)); three branches of h side by side (5, 12 and 12 channels, so that blocks
/// of eight do not fit), 1×1 and added to another 1×1 of h; leaky ReLU, average pool, dense.
class BranchingNetImpl : public GraphModule {
 public:
  explicit BranchingNetImpl(bool norm = true) : GraphModule("branching-net", {3, 8, 6}) {
    then(new_convolution(3, 12, 3, 1, 1), "stem.conv");
    if (norm) then(new_batch_norm(12), "stem.norm");
    const size_t h = then(Elu{});
    add(new_convolution(12, 5, 3, 1, 1), {h}, "narrow");
    const size_t narrow = then(Tanh{});
    const size_t largest = add(MaxPool{{3, 3}, {1, 1}, {1, 1}}, {h});
    add(Concatenation{}, {narrow, h, largest});
    const size_t wide = then(new_convolution(29, 9, 1, 1, 0), "joined");
    const size_t shortcut = add(new_convolution(12, 9, 1, 1, 0, /*bias=*/false), {h}, "shortcut");
    add(Sum{}, {wide, shortcut});
    then(LeakyRelu{0.2});
    then(AveragePool{});
    then(Flatten{});
    then(new_dense(108, 4), "dense");
    draw_weights(/*seed=*/3, draw_kaiming);
  }
};
TORCH_MODULE(BranchingNet);

}  // namespace arks::testing
