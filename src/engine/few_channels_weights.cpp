#include "engine/few_channels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/few_channels_weights.cpp"
#include "engine/targets.h"

#include <hwy/foreach_target.h>

#include "engine/few_channels-inl.h"

#include <algorithm>
#include <array>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

/// Σ over positions of x[tap]·dy for some taps and `column_blocks` blocks of channels: sums [taps][out], `out_row`
/// floats from tap to tap.
template <int taps, int column_blocks>
HWY_NOINLINE void correlate(const FewChannels::Shape& shape, const std::array<const float*, kRows>& x, const float* dy,
                            float* sums, int64_t out_row) {
  const int64_t stride = shape.window.stride[1], block = shape.out.plane() * kBlock;
  Vec8 sum[taps][column_blocks];
  for (int i = 0; i < taps; ++i) {
    for (int j = 0; j < column_blocks; ++j) sum[i][j] = zero8();
  }
  for (int64_t row = 0; row < shape.out.height; ++row) {
    int64_t at = row * shape.window.stride[0] * shape.padded_width();
    HWY_UNROLL(4)
    for (int64_t column = 0; column < shape.out.width; ++column, at += stride, dy += kBlock) {
      Vec8 value[column_blocks];
      for (int j = 0; j < column_blocks; ++j) value[j] = load8(dy + j * block);
      ARKS_UNROLL
      for (int i = 0; i < taps; ++i) {
        const Vec8 factor = set8(x[i][at]);
        for (int j = 0; j < column_blocks; ++j) sum[i][j] = mul_add(factor, value[j], sum[i][j]);
      }
    }
  }
  for (int i = 0; i < taps; ++i) {
    for (int j = 0; j < column_blocks; ++j) store8(sum[i][j], sums + i * out_row + j * kBlock);
  }
}

/// The sums [taps + 1][blocks·8] behind the padded image and a plane of ones in scratch; the last row is that of the
/// bias, whose input is one everywhere.
const float* correlate_image(const FewChannels::Shape& shape, const int64_t* offsets, const float* x, const float* dy,
                             float* scratch) {
  const float* padded = pad_image(shape, x, scratch);
  float* ones = scratch + shape.channels * shape.padded_plane();
  float* sums = ones + shape.padded_plane();
  std::fill_n(ones, shape.padded_plane(), 1.0f);
  using Kernel =
      void (*)(const FewChannels::Shape&, const std::array<const float*, kRows>&, const float*, float*, int64_t);
  constexpr Kernel kernels[2][kRows] = {
      {correlate<1, 1>, correlate<2, 1>, correlate<3, 1>, correlate<4, 1>, correlate<5, 1>, correlate<6, 1>},
      {correlate<1, 2>, correlate<2, 2>, correlate<3, 2>, correlate<4, 2>, correlate<5, 2>, correlate<6, 2>}};
  const int64_t rows = shape.taps() + 1, out_blocks = blocks(shape.out.channels), out_row = out_blocks * kBlock;
  const RowParts parts(rows);
  for (int64_t block = 0; block < out_blocks; block += 2) {
    const float* from = dy + block * shape.out.plane() * kBlock;
    float* to = sums + block * kBlock;
    for (int64_t part = 0, done = 0; part < parts.longer + parts.shorter; ++part) {
      const int64_t taps = part < parts.longer ? parts.rows : parts.rows - 1;
      std::array<const float*, kRows> source{};
      for (int64_t i = 0; i < taps; ++i) source[i] = done + i < rows - 1 ? padded + offsets[done + i] : ones;
      kernels[out_blocks - block > 1][taps - 1](shape, source, from, to + done * out_row, out_row);
      done += taps;
    }
  }
  return sums;
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {
namespace {
HWY_EXPORT(correlate_image);
}

void FewChannels::backward_weights(const float* x, const float* dy, float* dw, float* db, float* scratch) const {
  const float* sums = HWY_DYNAMIC_DISPATCH(correlate_image)(shape_, offsets_.data(), x, dy, scratch);
  const int64_t taps = shape_.taps(), out_row = in_blocks(shape_.out.channels);
  for (int64_t out = 0; out < shape_.out.channels; ++out) {
    for (int64_t tap = 0; tap < taps; ++tap) *dw++ += sums[tap * out_row + out];
  }
  if (db) {
    for (int64_t out = 0; out < out_row; ++out) db[out] += sums[taps * out_row + out];
  }
}

}  // namespace arks::engine
#endif
