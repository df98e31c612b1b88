#pragma once
#include "engine/feature_map.h"
#include "engine/window.h"

#include <vector>

namespace arks::engine {

/// Convolution as one matrix product of the windows of several images with the weights: for maps that end in a handful
/// of cells, where the weights are larger than all that is computed with them, and are fetched once for all images; and
/// for what nothing else can do. Any kernel, stride, padding and dilation. Functions and buffers as those of Winograd.
class GemmConvolution {
 public:
  GemmConvolution(const FeatureMap& in, const FeatureMap& out, const Window& window);

  const FeatureMap& out() const { return out_; }
  int64_t scratch_size() const;
  void load(const float* weight, const float* bias);
  void forward(const float* x, float* y, int64_t images, float* scratch) const;
  void backward_input(const float* dy, float* dx, int64_t images, float* scratch) const;
  int64_t gradient_size() const { return depth_ * to_; }
  void backward_weights(const float* x, const float* dy, int64_t images, float* sums, float* bias_sums,
                        float* scratch) const;
  void finish_gradient(const float* sums, float* dw) const;

 private:
  /// Calls f(offset in the map, offset in the row of windows) for every block of channels of every cell of every window
  /// of an image that lies on the map.
  template <typename Function>
  void for_cells(Function f) const;
  void gather(const float* x, float* windows) const;    // x of one image → [cells][depth]
  void scatter(const float* windows, float* x) const;   // its adjoint, x overwritten
  void to_rows(const float* map, float* rows) const;    // blocked map of one image → [cells][to]
  void from_rows(const float* rows, float* map) const;  // and back
  int64_t place(int64_t channel, int64_t tap) const;    // of a weight within a row of windows
  float* rows(float* scratch) const { return scratch + together_ * out_.plane() * depth_; }

  FeatureMap in_, out_;
  Window window_;
  int64_t depth_, to_;  // numbers of a window, and of an output cell, padding channels included
  int64_t together_;    // images whose windows are multiplied together
  std::vector<float> forward_, backward_, bias_;
};

}  // namespace arks::engine
