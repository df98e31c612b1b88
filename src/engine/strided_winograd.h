#pragma once
#include "engine/feature_map.h"
#include "engine/window.h"
#include "engine/winograd.h"

namespace arks::engine {

/// Convolution of stride 2 with a kernel of up to 6×6 as one of stride 1 with 3×3, by Winograd's algorithm. The input
/// is split by the parity of row and column into four maps, which become channels: with X the padded input,
///   y[o] = Σ_k w[k]·X[2o+k] = Σ_r Σ_a w[2a+r]·X_r[o+a],   X_r[i] = X[2i+r],   r = 0, 1,  a = 0, 1, 2,
/// and the same in the other direction. For 5×5 that is 36 products instead of 25 before Winograd's algorithm takes
/// three quarters of them away. Functions and buffers as those of Winograd; the input may also be a plain image of few
/// channels, [channels][h][w] in rows of a multiple of 8 floats, whose parities share blocks.
class StridedWinograd {
 public:
  static constexpr int64_t kLargestKernel = 6;

  /// The window has stride 2 and no dilation.
  StridedWinograd(int64_t tile, const FeatureMap& in, int64_t out_channels, const Window& window, bool plain_input);

  /// The map of the four parities for an output of that size.
  static FeatureMap split_map(const FeatureMap& in, const FeatureMap& out, bool plain_input);

  const FeatureMap& out() const { return winograd_.out(); }
  int64_t scratch_size() const;
  void load(const float* weight, const float* bias);
  void forward(const float* x, float* y, int64_t images, float* scratch) const;
  void backward_input(const float* dy, float* dx, int64_t images, float* scratch) const;
  int64_t gradient_size() const { return winograd_.gradient_size(); }
  void backward_weights(const float* x, const float* dy, int64_t images, float* sums, float* bias_sums,
                        float* scratch) const;
  void finish_gradient(const float* sums, float* dw) const;

 private:
  /// One image, and back: every number of the input has one place in the split map, or none behind the last window.
  void split(const float* x, float* parts) const;
  void join(const float* parts, float* x) const;
  void split_plain(const float* x, float* parts) const;
  void join_plain(const float* parts, float* x) const;
  /// Calls f(place in a plain image, place in the split map) for every number that has one there.
  template <typename Function>
  void for_plain(Function f) const;
  float* parts(float* scratch) const;

  FeatureMap in_, split_;
  Window window_;
  bool plain_input_;
  Winograd winograd_;
  int64_t in_stride_;  // floats from one image to the next
  int64_t share_;      // channels of one parity
  int64_t group_;      // images that are split at a time
};

}  // namespace arks::engine
