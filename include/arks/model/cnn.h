#pragma once
#include <arks/model/activation.h>
#include <arks/model/graph_module.h>
#include <torch/arg.h>

#include <vector>

namespace arks {

struct CnnOptions {
  CnnOptions(std::vector<int64_t> input_shape, int64_t outputs)
      : input_shape_(std::move(input_shape)), outputs_(outputs) {}
  TORCH_ARG(std::vector<int64_t>, input_shape);  // {channels, height, width} of one image; both sides ≥ 8
  TORCH_ARG(int64_t, outputs);                   // > 0: classes, or numbers
  TORCH_ARG(int64_t, width) = 16;                // channels of the first convolution; 1 to 1024
  TORCH_ARG(bool, batch_norm) = false;           // behind every convolution
  TORCH_ARG(Activation, activation) = Activation::kElu;
  TORCH_ARG(uint64_t, seed) = 0;  // of the initial weights
};

/// A network for images of any size, x [n,channels,height,width] → [n,outputs]:
///   as long as a side is longer than 7: conv 3×3 padding 1, batch norm if it is asked for, max pool 2, activation;
///   then one dense layer.
/// A side is pooled as long as it is longer than 7 and then kept, so at the end both are 4 to 7 cells. The convolutions
/// have w, 2w, 4w, 4w, … channels. On a side over 64 the first one has stride 2, over 128 the second one too: 64×64 and
/// 256×256 then cost about the same.
///   20×20, w 16:   20 → 10 → 5, dense 800→outputs
///   64×64, w 16:   64 → 32 → 16 → 8 → 4, dense 1024→outputs
///   256×256, w 16: 256 → 64 → 16 → 8 → 4, dense 1024→outputs
/// The activations are monotone, so they come after the pooling instead of before: the same function, computed on a
/// quarter of the numbers. Convolutions in front of a batch norm have no bias.
/// Initialised with Kaiming normal weights, N(0, 2/fan_in), batch norm 1 and 0, and biases from U(±1/√fan_in).
class CnnImpl : public GraphModule {
 public:
  explicit CnnImpl(const CnnOptions& options);
};
TORCH_MODULE(Cnn);

/// The width that goes with so many training images: 8 below 500, 16 below 5,000, else 32.
int64_t cnn_width(int64_t images);

}  // namespace arks
