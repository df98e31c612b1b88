#pragma once
#include "engine/feature_map.h"
#include "engine/window.h"

#include <cstdint>
#include <vector>

namespace arks::engine {

/// Convolution of an image with few channels (1 … 4), as a first layer is: the input is plain, [channels][h][w] as
/// torch has it, the output blocked. Any kernel, stride and zero padding; no dilation, no groups. One thread; `scratch`
/// holds scratch_size() floats, aligned to 64 bytes.
///
/// Forward and the gradient of the weights are products of small matrices, where a row of a matrix of patches is read
/// from the padded image in place. In the gradient of the input eight channels of the output are summed at once.
class FewChannels {
 public:
  struct Shape {
    int64_t channels = 0, height = 0, width = 0;
    Window window;
    FeatureMap out;

    int64_t padded_height() const { return height + 2 * window.padding[0]; }
    int64_t padded_width() const { return width + 2 * window.padding[1]; }
    int64_t padded_plane() const { return padded_height() * padded_width(); }
    /// Numbers in a patch.
    int64_t taps() const { return channels * window.kernel[0] * window.kernel[1]; }
  };
  FewChannels(int64_t channels, int64_t height, int64_t width, int64_t out_channels, const Window& window);

  const FeatureMap& out() const { return shape_.out; }
  int64_t scratch_size() const;
  void load(const float* weight, const float* bias);  // [out,in,kh,kw] contiguous, bias [out] or null

  /// One image. x [channels·h·w] → y [out.size()], bias added.
  void forward(const float* x, float* y, float* scratch) const;
  /// dy [out.size()] → dx [channels·h·w], overwritten.
  void backward_input(const float* dy, float* dx, float* scratch) const;
  /// Adds to dw [out,in,kh,kw] and, unless null, to db [blocks(out)·8].
  void backward_weights(const float* x, const float* dy, float* dw, float* db, float* scratch) const;

  /// True for one channel, 3×3, stride 1 behind a 2×2 max pooling of stride 2 that covers whole windows: then the
  /// gradient of the pooled map goes to the input at once, without the map before the pooling, three quarters of which
  /// is zero. dy [blocks(out)][pooled h][pooled w][8]; winner [same] 0 … 3, which of the window was the largest, row by
  /// row.
  bool can_unpool() const;
  void backward_input_unpooling(const float* dy, const uint8_t* winner, float* dx, float* scratch) const;

 private:
  void load_adjoint(const float* weight);
  void load_unpooling(const float* weight);

  Shape shape_;
  std::vector<int64_t> offsets_;  // [taps] where a tap of the first patch lies in the padded image
  std::vector<float> weights_;    // [out/16][taps][16]
  std::vector<float> bias_;       // [out/16][16]
  std::vector<float> adjoint_;    // [out/8][kh][kw][channels][8]
  std::vector<float> unpooling_;  // [out][winner][4×4], the kernel at its place in the patch under a pooled cell
};

}  // namespace arks::engine
