#include "engine/few_channels.h"

#include "arks/support/error.h"
#include "engine/gemm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/few_channels.cpp"
#include "engine/targets.h"

#include <hwy/foreach_target.h>

#include "engine/few_channels-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

/// `positions` outputs side by side in `column_blocks` blocks of channels; x is where the first patch begins.
template <int positions, int column_blocks>
HWY_NOINLINE void convolve_positions(const float* x, int64_t stride, const int64_t* offsets, int64_t taps,
                                     const float* weights, const float* bias, float* y, int64_t y_block) {
  Vec8 sum[positions][column_blocks];
  ARKS_UNROLL
  for (int i = 0; i < positions; ++i) {
    for (int j = 0; j < column_blocks; ++j) sum[i][j] = load8(bias + j * kBlock);
  }
  HWY_UNROLL(3)
  for (int64_t tap = 0; tap < taps; ++tap) {
    const float* patch = x + offsets[tap];
    Vec8 row[column_blocks];
    for (int j = 0; j < column_blocks; ++j) row[j] = load8(weights + tap * kPanel + j * kBlock);
    ARKS_UNROLL
    for (int i = 0; i < positions; ++i) {
      const Vec8 factor = set8(patch[i * stride]);
      for (int j = 0; j < column_blocks; ++j) sum[i][j] = mul_add(factor, row[j], sum[i][j]);
    }
  }
  ARKS_UNROLL
  for (int i = 0; i < positions; ++i) {
    for (int j = 0; j < column_blocks; ++j) store8(sum[i][j], y + i * kBlock + j * y_block);
  }
}

template <int column_blocks>
HWY_INLINE void convolve_row(const float* x, int64_t stride, const int64_t* offsets, int64_t taps, const float* weights,
                             const float* bias, float* y, int64_t width, int64_t y_block) {
  using Kernel = void (*)(const float*, int64_t, const int64_t*, int64_t, const float*, const float*, float*, int64_t);
  constexpr Kernel kernels[] = {convolve_positions<1, column_blocks>, convolve_positions<2, column_blocks>,
                                convolve_positions<3, column_blocks>, convolve_positions<4, column_blocks>,
                                convolve_positions<5, column_blocks>, convolve_positions<6, column_blocks>};
  const RowParts parts(width);
  for (int64_t part = 0; part < parts.longer + parts.shorter; ++part) {
    const int64_t positions = part < parts.longer ? parts.rows : parts.rows - 1;
    kernels[positions - 1](x, stride, offsets, taps, weights, bias, y, y_block);
    x += positions * stride;
    y += positions * kBlock;
  }
}

void convolve_image(const FewChannels::Shape& shape, const int64_t* offsets, const float* weights, const float* bias,
                    const float* x, float* y, float* scratch) {
  const float* padded = pad_image(shape, x, scratch);
  const int64_t taps = shape.taps(), out_blocks = blocks(shape.out.channels), y_block = shape.out.plane() * kBlock;
  for (int64_t row = 0; row < shape.out.height; ++row) {
    const float* from = padded + row * shape.window.stride[0] * shape.padded_width();
    for (int64_t block = 0; block < out_blocks; block += 2) {
      const float* panel = weights + block * kBlock * taps;
      float* to = y + block * y_block + row * shape.out.width * kBlock;
      (out_blocks - block > 1 ? convolve_row<2> : convolve_row<1>)(from, shape.window.stride[1], offsets, taps, panel,
                                                                   bias + block * kBlock, to, shape.out.width, y_block);
    }
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {
namespace {

HWY_EXPORT(convolve_image);

}  // namespace

FewChannels::FewChannels(int64_t channels, int64_t height, int64_t width, int64_t out_channels, const Window& window)
    : shape_{channels, height, width, window, {out_channels, 0, 0}} {
  ARKS_CHECK(channels >= 1 && channels <= 4, "FewChannels: 1 to 4 channels, not ", channels);
  ARKS_CHECK(out_channels >= 1, "FewChannels: at least one channel out, not ", out_channels);
  for (int i = 0; i < 2; ++i) {
    const int64_t size = (i == 0 ? height : width) + 2 * window.padding[i];
    ARKS_CHECK(window.kernel[i] >= 1 && window.stride[i] >= 1 && window.padding[i] >= 0 && size >= window.kernel[i],
               "FewChannels: no window of ", window.kernel[i], " with stride ", window.stride[i], " and padding ",
               window.padding[i], " in ", i == 0 ? height : width);
    (i == 0 ? shape_.out.height : shape_.out.width) = (size - window.kernel[i]) / window.stride[i] + 1;
  }
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (int64_t row = 0; row < window.kernel[0]; ++row) {
      for (int64_t column = 0; column < window.kernel[1]; ++column) {
        offsets_.push_back((channel * shape_.padded_height() + row) * shape_.padded_width() + column);
      }
    }
  }
}

int64_t FewChannels::scratch_size() const {
  const int64_t image = shape_.channels * shape_.padded_plane();
  const int64_t gradient = shape_.padded_plane() + (shape_.taps() + 1) * in_blocks(shape_.out.channels);
  const int64_t strips = 16 * (shape_.padded_width() + kBlock);
  return std::max(image + gradient, strips);
}

void FewChannels::load(const float* weight, const float* bias) {
  const int64_t taps = shape_.taps(), out = shape_.out.channels;
  weights_.resize(packed_size(taps, out));
  pack(weight, 1, taps, taps, out, weights_.data());
  bias_.assign(packed_size(1, out), 0.0f);
  if (bias) std::copy_n(bias, out, bias_.begin());
  load_adjoint(weight);
  if (can_unpool()) load_unpooling(weight);
}

void FewChannels::forward(const float* x, float* y, float* scratch) const {
  HWY_DYNAMIC_DISPATCH(convolve_image)(shape_, offsets_.data(), weights_.data(), bias_.data(), x, y, scratch);
}

}  // namespace arks::engine
#endif
