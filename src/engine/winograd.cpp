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

/// Transforms the products of `width` blocks of channels, from `block` on.
template <class Map, bool add>
HWY_INLINE void scatter(const WinogradPass& pass, float* products, const float* bias, int64_t first, int64_t count,
                        int64_t block, int64_t width, float* y) {
  const FeatureMap& map = pass.to.map;
  for (int64_t t = 0; t < count; ++t) {
    const Tile tile = tile_at(pass.to, first + t, pass.rows, pass.columns, Map::kTo);
    for (int64_t half = 0; half < width; ++half) {
      float* plane = y + tile.image * map.size() + (block + half) * map.plane() * kBlock;
      float* product = products + t * kPanel + half * kBlock;
      if (add && tile.first) std::fill_n(plane, map.plane() * kBlock, 0.0f);
      if (bias) {
        // the point 1 in both directions: the transform carries this entry to all of the tile as it is
        float* one = product + (Map::kFrom + 1) * pass.product_stride;
        store8(load8(one) + load8(bias + (block + half) * kBlock), one);
      }
      transform_to_map<Map, add>(product, pass.product_stride, plane, map.width, tile);
    }
  }
}

/// The convolution and its adjoint are one program: transform tiles, multiply, transform back.
template <class Gather, class Scatter, bool add>
HWY_INLINE void convolve(const WinogradPass& pass, const float* kernels, const float* bias, const float* x, float* y,
                         int64_t images, float* scratch) {
  const int64_t k = pass.from.map.channels, out_blocks = blocks(pass.to.map.channels);
  float* products = scratch;
  float* inputs = products + pass.frequencies * pass.product_stride;
  float* zeros = inputs + pass.frequencies * pass.input_stride;
  std::fill_n(zeros, pass.from.map.width * kBlock, 0.0f);
  GemmLayout layout;
  layout.a_row = blocks(k) * kBlock;
  layout.c_row = kPanel;
  const int64_t total = images * pass.rows * pass.columns, parts = (total + pass.group - 1) / pass.group;
  for (int64_t part = 0, first = 0; part < parts; ++part) {
    const int64_t count = (total - first + parts - part - 1) / (parts - part);
    gather<Gather>(pass, pass.from, x, first, count, 0, blocks(k), zeros, inputs, layout.a_row, pass.input_stride);
    for (int64_t block = 0; block < out_blocks; block += 2) {
      const int64_t width = std::min<int64_t>(2, out_blocks - block);
      const float* b = kernels + block / 2 * pass.frequencies * k * kPanel;
      for (int64_t f = 0; f < pass.frequencies; ++f, b += k * kPanel) {
        const float* a = inputs + f * pass.input_stride;
        float* c = products + f * pass.product_stride;
        width == 2 ? panel_product<2>(a, b, c, count, k, layout, false)
                   : panel_product<1>(a, b, c, count, k, layout, false);
      }
      scatter<Scatter, add>(pass, products, bias, first, count, block, width, y);
    }
    first += count;
  }
}

void forward_pass(const WinogradPass& pass, const float* kernels, const float* bias, const float* x, float* y,
                  int64_t images, float* scratch) {
  if (pass.from.step == 4) {
    convolve<Minimal<4>::Input, Minimal<4>::Output, false>(pass, kernels, bias, x, y, images, scratch);
  } else {
    convolve<Minimal<2>::Input, Minimal<2>::Output, false>(pass, kernels, bias, x, y, images, scratch);
  }
}

void backward_pass(const WinogradPass& pass, const float* kernels, const float* dy, float* dx, int64_t images,
                   float* scratch) {
  if (pass.from.step == 4) {
    convolve<Minimal<4>::OutputAdjoint, Minimal<4>::InputAdjoint, true>(pass, kernels, nullptr, dy, dx, images,
                                                                        scratch);
  } else {
    convolve<Minimal<2>::OutputAdjoint, Minimal<2>::InputAdjoint, true>(pass, kernels, nullptr, dy, dx, images,
                                                                        scratch);
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {

namespace {

HWY_EXPORT(forward_pass);
HWY_EXPORT(backward_pass);

WinogradPass make_pass(const TiledMap& from, const TiledMap& to, int64_t rows, int64_t columns, int64_t group) {
  WinogradPass pass;
  pass.from = from;
  pass.to = to;
  pass.frequencies = (from.step + 2) * (from.step + 2);
  pass.rows = rows;
  pass.columns = columns;
  pass.group = group;
  // a little more than a power of two, or all frequencies of a tile would meet in a few sets of the cache
  pass.input_stride = group * blocks(from.map.channels) * kBlock + kPanel;
  pass.product_stride = group * kPanel;
  return pass;
}

int64_t scratch_size_of(const WinogradPass& pass) {
  const int64_t width = std::max(pass.from.map.width, pass.to.map.width);
  return pass.frequencies * (pass.input_stride + pass.product_stride) + width * kBlock;
}

// So few tiles that the products of one panel stay in L1.
constexpr int64_t kGroup = 12;

/// So many tiles that the sums of one panel are seldom fetched, and yet all that belongs to it stays in L2.
int64_t weights_group(int64_t tile, int64_t in_channels) {
  constexpr int64_t kCache = 96 * 1024;  // floats
  const int64_t frequencies = (tile + 2) * (tile + 2), width = blocks(in_channels) * kBlock;
  return std::clamp<int64_t>((kCache / frequencies - width * kPanel) / (width + kPanel), 12, 96);
}

}  // namespace

Winograd::Winograd(int64_t tile, const FeatureMap& in, int64_t out_channels, int64_t padding_h, int64_t padding_w) {
  ARKS_CHECK(tile == 4 || tile == 2, "Winograd: the tile is 4 or 2, not ", tile);
  ARKS_CHECK(padding_h >= 0 && padding_h <= 2 && padding_w >= 0 && padding_w <= 2,
             "Winograd: the padding is 0, 1 or 2, not ", padding_h, " and ", padding_w);
  const FeatureMap out{out_channels, in.height + 2 * padding_h - 2, in.width + 2 * padding_w - 2};
  ARKS_CHECK(in.channels > 0 && out_channels > 0 && out.height > 0 && out.width > 0, "Winograd: a map of ", in.channels,
             "x", in.height, "x", in.width, " cannot become one of ", out_channels, "x", out.height, "x", out.width);
  const TiledMap from{in, tile, padding_h, padding_w}, to{out, tile, 0, 0};
  const int64_t rows = (out.height + tile - 1) / tile, columns = (out.width + tile - 1) / tile;
  forward_ = make_pass(from, to, rows, columns, kGroup);
  backward_ = make_pass(to, from, rows, columns, kGroup);
  weights_ = make_pass(from, to, rows, columns, weights_group(tile, in.channels));
}

int64_t Winograd::scratch_size() const {
  return std::max({scratch_size_of(forward_), scratch_size_of(backward_), scratch_size_of(weights_)});
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
