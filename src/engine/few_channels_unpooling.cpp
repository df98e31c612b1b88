#include "engine/few_channels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/few_channels_unpooling.cpp"
#include "engine/targets.h"

#include <hwy/foreach_target.h>

#include "engine/vec8-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

constexpr int64_t kPatch = 16;  // 4×4 pixels see the four outputs under a pooled cell

/// patch = Σ_c dy[c]·kernels[c][winner[c]], over all blocks of channels.
HWY_INLINE void cell_gradient(const float* dy, const uint8_t* winner, int64_t out_blocks, int64_t block_stride,
                              const float* kernels, float* patch) {
  constexpr int kChains = 4;  // sums side by side, to hide the latency
  Vec8 sum[kChains][2];
  for (auto& chain : sum) chain[0] = chain[1] = zero8();
  for (int64_t block = 0; block < out_blocks; ++block) {
    ARKS_UNROLL
    for (int lane = 0; lane < static_cast<int>(kBlock); ++lane) {
      const float* kernel = kernels + (lane * 4 + winner[lane]) * kPatch;
      const Vec8 factor = set8(dy[lane]);
      sum[lane % kChains][0] = mul_add(factor, load8(kernel), sum[lane % kChains][0]);
      sum[lane % kChains][1] = mul_add(factor, load8(kernel + kBlock), sum[lane % kChains][1]);
    }
    dy += block_stride;
    winner += block_stride;
    kernels += kBlock * 4 * kPatch;
  }
  for (int half = 0; half < 2; ++half) {
    store8((sum[0][half] + sum[1][half]) + (sum[2][half] + sum[3][half]), patch + half * kBlock);
  }
}

/// Patches overlap by two pixels. Those of even and odd cells go to strips of their own, four rows each, where they do
/// not; a row of pixels is the sum of the strips of two rows of cells.
void unpooled_gradient(const FewChannels::Shape& shape, const float* kernels, const float* dy, const uint8_t* winner,
                       float* dx, float* scratch) {
  const int64_t rows = shape.out.height / 2, columns = shape.out.width / 2, block_stride = rows * columns * kBlock;
  const int64_t above = shape.window.padding[0], beside = shape.window.padding[1];
  const int64_t width = shape.padded_width() + kBlock, strip = 4 * width;
  std::fill_n(scratch, 4 * strip, 0.0f);
  for (int64_t i = 0; i <= rows; ++i) {
    float* now = scratch + i % 2 * 2 * strip;
    const float* before = scratch + (i + 1) % 2 * 2 * strip + 2 * width;
    if (i == rows) std::fill_n(now, 2 * strip, 0.0f);
    for (int64_t j = 0; i < rows && j < columns; ++j) {
      float patch[kPatch];
      cell_gradient(dy + (i * columns + j) * kBlock, winner + (i * columns + j) * kBlock, blocks(shape.out.channels),
                    block_stride, kernels, patch);
      float* to = now + j % 2 * strip + 2 * j;
      for (int64_t row = 0; row < 4; ++row) std::copy_n(patch + 4 * row, 4, to + row * width);
    }
    for (int64_t row = 0; row < 2; ++row) {
      const int64_t y = 2 * i + row - above;
      if (y < 0 || y >= shape.height) continue;
      const float* a = now + row * width + beside;
      const float* b = before + row * width + beside;
      float* to = dx + y * shape.width;
      int64_t x = 0;
      for (; x + kBlock <= shape.width; x += kBlock) {
        store8((load8(a + x) + load8(a + strip + x)) + (load8(b + x) + load8(b + strip + x)), to + x);
      }
      for (; x < shape.width; ++x) to[x] = (a[x] + a[strip + x]) + (b[x] + b[strip + x]);
    }
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {
namespace {
HWY_EXPORT(unpooled_gradient);
}

bool FewChannels::can_unpool() const {
  const std::array<int64_t, 2> three{3, 3}, one{1, 1};
  return shape_.channels == 1 && shape_.window.kernel == three && shape_.window.stride == one &&
         shape_.out.height % 2 == 0 && shape_.out.width % 2 == 0;
}

void FewChannels::load_unpooling(const float* weight) {
  constexpr int64_t kPatch = 16;
  unpooling_.assign(in_blocks(shape_.out.channels) * 4 * kPatch, 0.0f);
  for (int64_t out = 0; out < shape_.out.channels; ++out) {
    for (int64_t winner = 0; winner < 4; ++winner) {
      float* patch = unpooling_.data() + (out * 4 + winner) * kPatch;
      for (int64_t tap = 0; tap < 9; ++tap) {
        patch[(winner / 2 + tap / 3) * 4 + winner % 2 + tap % 3] = weight[out * 9 + tap];
      }
    }
  }
}

void FewChannels::backward_input_unpooling(const float* dy, const uint8_t* winner, float* dx, float* scratch) const {
  HWY_DYNAMIC_DISPATCH(unpooled_gradient)(shape_, unpooling_.data(), dy, winner, dx, scratch);
}

}  // namespace arks::engine
#endif
