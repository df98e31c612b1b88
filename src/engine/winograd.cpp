#include "engine/winograd.h"

#include "arks/support/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/winograd.cpp"
#include "engine/targets.h"

#include <hwy/foreach_target.h>

#include "engine/gemm-inl.h"
#include "engine/winograd-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

/// c [rows,16] = a·b for `parts` times so many tiles, where a is [k/16 panels][frequency][group][16], b [k][16]; and k
/// comes in blocks of eight. All distances but that of the panels are known when this is compiled.
template <int rows, int column_blocks>
HWY_NOINLINE void tile_product(const float* a, int64_t panel_stride, const float* b, float* c, int64_t parts,
                               int64_t k_blocks) {
  for (int64_t part = 0; part < parts; ++part, a += rows * kPanel, c += rows * kPanel) {
    Vec8 sum[rows][column_blocks];
    ARKS_UNROLL
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < column_blocks; ++j) sum[i][j] = zero8();
    }
    const float* right = b;
    for (int64_t block = 0; block < k_blocks; ++block, right += kBlock * kPanel) {
      const float* left = a + block / 2 * panel_stride + block % 2 * kBlock;
      ARKS_UNROLL
      for (int step = 0; step < static_cast<int>(kBlock); ++step) {
        Vec8 row[column_blocks];
        for (int j = 0; j < column_blocks; ++j) row[j] = load8(right + step * kPanel + j * kBlock);
        ARKS_UNROLL
        for (int i = 0; i < rows; ++i) {
          const Vec8 factor = set8(left[i * kPanel + step]);
          for (int j = 0; j < column_blocks; ++j) sum[i][j] = mul_add(factor, row[j], sum[i][j]);
        }
      }
    }
    ARKS_UNROLL
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < column_blocks; ++j) store8(sum[i][j], c + i * kPanel + j * kBlock);
    }
  }
}

/// The products of `count` tiles with one panel of kernels, at all frequencies.
template <int column_blocks, int64_t group>
HWY_INLINE void tile_products(const float* a, const float* b, float* c, int64_t count, int64_t k_blocks,
                              int64_t frequencies) {
  using Kernel = void (*)(const float*, int64_t, const float*, float*, int64_t, int64_t);
  constexpr Kernel kernels[] = {tile_product<1, column_blocks>, tile_product<2, column_blocks>,
                                tile_product<3, column_blocks>, tile_product<4, column_blocks>,
                                tile_product<5, column_blocks>, tile_product<6, column_blocks>};
  constexpr int64_t stride = winograd_stride(group);
  const RowParts parts(count);
  const int64_t panel_stride = frequencies * stride, done = parts.longer * parts.rows * kPanel;
  for (int64_t f = 0; f < frequencies; ++f, a += stride, b += k_blocks * kBlock * kPanel, c += stride) {
    kernels[parts.rows - 1](a, panel_stride, b, c, parts.longer, k_blocks);
    if (parts.shorter > 0) {
      kernels[parts.rows - 2](a + done, panel_stride, b, c + done, parts.shorter, k_blocks);
    }
  }
}

/// Transforms the products of `width` blocks of channels, from `block` on.
template <class Map, bool add, int64_t group>
HWY_INLINE void scatter(const FeatureMap& map, const Tile* tiles, int64_t count, const float* products,
                        const float* bias, int64_t block, int64_t width, float* y) {
  for (int64_t t = 0; t < count; ++t) {
    for (int64_t half = 0; half < width; ++half) {
      float* plane = y + tiles[t].image * map.size() + (block + half) * map.plane() * kBlock;
      if (add && tiles[t].first) std::fill_n(plane, map.plane() * kBlock, 0.0f);
      write_tile<Map, add, winograd_stride(group)>(products + t * kPanel + half * kBlock,
                                                   bias ? bias + (block + half) * kBlock : nullptr, plane, map.width,
                                                   tiles[t]);
    }
  }
}

/// The convolution and its adjoint are one program: transform tiles, multiply, transform back.
template <class Gather, class Scatter, bool add, int64_t group>
HWY_INLINE void convolve(const WinogradPass& pass, const float* kernels, const float* bias, const float* x, float* y,
                         int64_t images, float* scratch) {
  const int64_t k_blocks = blocks(pass.from.map.channels), out_blocks = blocks(pass.to.map.channels);
  float* products = scratch;
  float* inputs = products + pass.frequencies * winograd_stride(group);
  float* zeros = inputs + (k_blocks + 1) / 2 * pass.frequencies * winograd_stride(group);
  std::fill_n(zeros, pass.from.map.width * kBlock, 0.0f);
  const int64_t total = images * pass.rows * pass.columns, parts = (total + group - 1) / group;
  Tile tiles[group];
  for (int64_t part = 0, first = 0; part < parts; ++part) {
    const int64_t count = (total - first + parts - part - 1) / (parts - part);
    find_tiles(pass.from, pass.rows, pass.columns, Gather::kFrom, first, count, tiles);
    gather<Gather, group>(pass.from.map, tiles, count, x, 0, k_blocks, zeros, inputs);
    find_tiles(pass.to, pass.rows, pass.columns, Scatter::kTo, first, count, tiles);
    for (int64_t block = 0; block < out_blocks; block += 2) {
      const int64_t width = std::min<int64_t>(2, out_blocks - block);
      const float* panel = kernels + block * pass.frequencies * k_blocks * kBlock * kBlock;
      width == 2 ? tile_products<2, group>(inputs, panel, products, count, k_blocks, pass.frequencies)
                 : tile_products<1, group>(inputs, panel, products, count, k_blocks, pass.frequencies);
      scatter<Scatter, add, group>(pass.to.map, tiles, count, products, bias, block, width, y);
    }
    first += count;
  }
}

void forward_pass(const WinogradPass& pass, const float* kernels, const float* bias, const float* x, float* y,
                  int64_t images, float* scratch) {
  if (pass.from.step == 6) {
    convolve<Minimal<6>::Input, Minimal<6>::Output, false, kWinogradGroup>(pass, kernels, bias, x, y, images, scratch);
  } else if (pass.from.step == 4) {
    convolve<Minimal<4>::Input, Minimal<4>::Output, false, kWinogradGroup>(pass, kernels, bias, x, y, images, scratch);
  } else {
    convolve<Minimal<2>::Input, Minimal<2>::Output, false, kWinogradGroup>(pass, kernels, bias, x, y, images, scratch);
  }
}

void backward_pass(const WinogradPass& pass, const float* kernels, const float* dy, float* dx, int64_t images,
                   float* scratch) {
  if (pass.from.step == 6) {
    convolve<Minimal<6>::OutputAdjoint, Minimal<6>::InputAdjoint, true, kWinogradGroup>(pass, kernels, nullptr, dy, dx,
                                                                                        images, scratch);
  } else if (pass.from.step == 4) {
    convolve<Minimal<4>::OutputAdjoint, Minimal<4>::InputAdjoint, true, kWinogradGroup>(pass, kernels, nullptr, dy, dx,
                                                                                        images, scratch);
  } else {
    convolve<Minimal<2>::OutputAdjoint, Minimal<2>::InputAdjoint, true, kWinogradGroup>(pass, kernels, nullptr, dy, dx,
                                                                                        images, scratch);
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {

namespace {

HWY_EXPORT(forward_pass);
HWY_EXPORT(backward_pass);

WinogradPass make_pass(const TiledMap& from, const TiledMap& to, int64_t rows, int64_t columns) {
  WinogradPass pass;
  pass.from = from;
  pass.to = to;
  pass.frequencies = (from.step + 2) * (from.step + 2);
  pass.rows = rows;
  pass.columns = columns;
  return pass;
}

}  // namespace

Winograd::Winograd(int64_t tile, const FeatureMap& in, int64_t out_channels, int64_t padding_h, int64_t padding_w) {
  ARKS_CHECK(tile == 6 || tile == 4 || tile == 2, "Winograd: the tile is 6, 4 or 2, not ", tile);
  ARKS_CHECK(padding_h >= 0 && padding_h <= 2 && padding_w >= 0 && padding_w <= 2,
             "Winograd: the padding is 0, 1 or 2, not ", padding_h, " and ", padding_w);
  const FeatureMap out{out_channels, in.height + 2 * padding_h - 2, in.width + 2 * padding_w - 2};
  ARKS_CHECK(in.channels > 0 && out_channels > 0 && out.height > 0 && out.width > 0, "Winograd: a map of ", in.channels,
             "x", in.height, "x", in.width, " cannot become one of ", out_channels, "x", out.height, "x", out.width);
  const TiledMap from{in, tile, padding_h, padding_w}, to{out, tile, 0, 0};
  const int64_t rows = (out.height + tile - 1) / tile, columns = (out.width + tile - 1) / tile;
  forward_ = make_pass(from, to, rows, columns);
  backward_ = make_pass(to, from, rows, columns);
}

int64_t Winograd::scratch_size() const {
  const FeatureMap &in = forward_.from.map, &out = forward_.to.map;
  const int64_t in_panels = (in.channels + kPanel - 1) / kPanel, out_panels = (out.channels + kPanel - 1) / kPanel;
  const int64_t convolution = (1 + std::max(in_panels, out_panels)) * winograd_stride(kWinogradGroup);
  const int64_t weights = (in_panels + 1) * winograd_stride(kWinogradWeightsGroup);
  return forward_.frequencies * std::max(convolution, weights) + std::max(in.width, out.width) * kBlock;
}

void Winograd::forward(const float* x, float* y, int64_t images, float* scratch) const {
  const float* bias = bias_.empty() ? nullptr : bias_.data();
  HWY_DYNAMIC_DISPATCH(forward_pass)(forward_, kernels_.data(), bias, x, y, images, scratch);
}

void Winograd::backward_input(const float* dy, float* dx, int64_t images, float* scratch) const {
  HWY_DYNAMIC_DISPATCH(backward_pass)(backward_, kernels_adjoint_.data(), dy, dx, images, scratch);
}

}  // namespace arks::engine
#endif
