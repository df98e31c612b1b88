#include "engine/winograd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/winograd_weights.cpp"
#include "engine/targets.h"

#include <hwy/foreach_target.h>

#include "engine/gemm-inl.h"
#include "engine/winograd-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

/// Kernels g(k,j) = weight[k·k_stride + j·j_stride …+9], [k,n], to G g Gᵀ in panels of 16 columns j: [n/16][f][k][16],
/// where k is filled up to whole blocks.
template <class Map>
HWY_INLINE void transform_kernels(const float* weight, int64_t k_stride, int64_t j_stride, int64_t k, int64_t n,
                                  float* packed) {
  constexpr int64_t size = Map::kTo, frequencies = size * size;
  for (int64_t first = 0; first < n; first += kBlock) {
    const int64_t rows = in_blocks(k);
    float* panel = packed + first / kPanel * frequencies * rows * kPanel + first % kPanel;
    for (int64_t row = 0; row < k; ++row) {
      float entries[9][kBlock] = {};
      for (int64_t j = first; j < std::min(first + kBlock, n); ++j) {
        const float* kernel = weight + row * k_stride + j * j_stride;
        for (int64_t i = 0; i < 9; ++i) entries[i][j - first] = kernel[i];
      }
      Vec8 half[size][3];
      for (int64_t column = 0; column < 3; ++column) {
        Vec8 g[3], u[size];
        for (int64_t i = 0; i < 3; ++i) g[i] = load8(entries[3 * i + column]);
        Map::apply(g, u);
        for (int64_t i = 0; i < size; ++i) half[i][column] = u[i];
      }
      for (int64_t i = 0; i < size; ++i) {
        Vec8 u[size];
        Map::apply(half[i], u);
        for (int64_t j = 0; j < size; ++j) store8(u[j], panel + ((i * size + j) * rows + row) * kPanel);
      }
    }
  }
}

void load_kernels(int64_t tile, const float* weight, int64_t k_stride, int64_t j_stride, int64_t k, int64_t n,
                  float* packed) {
  if (tile == 6) {
    transform_kernels<Minimal<6>::Kernel>(weight, k_stride, j_stride, k, n, packed);
  } else if (tile == 4) {
    transform_kernels<Minimal<4>::Kernel>(weight, k_stride, j_stride, k, n, packed);
  } else {
    transform_kernels<Minimal<2>::Kernel>(weight, k_stride, j_stride, k, n, packed);
  }
}

/// sums [out/16][f][in][16] += Σ over tiles of (transformed x)·(transformed dy), one panel of output channels at a
/// time.
template <class In, class Out>
HWY_INLINE void correlate(const WinogradPass& pass, const float* x, const float* dy, int64_t images, float* sums,
                          float* bias_sums, float* scratch) {
  constexpr int64_t stride = winograd_stride(kWinogradWeightsGroup);
  const int64_t in = pass.from.map.channels, out_blocks = blocks(pass.to.map.channels);
  float* outputs = scratch;
  float* inputs = outputs + pass.frequencies * stride;
  float* zeros = inputs + (blocks(in) + 1) / 2 * pass.frequencies * stride;
  std::fill_n(zeros, std::max(pass.from.map.width, pass.to.map.width) * kBlock, 0.0f);
  GemmLayout layout;
  layout.a_row = 1;
  layout.a_col = kPanel;
  layout.c_row = kPanel;
  const int64_t total = images * pass.rows * pass.columns;
  const int64_t parts = (total + kWinogradWeightsGroup - 1) / kWinogradWeightsGroup;
  Tile tiles[kWinogradWeightsGroup];
  for (int64_t part = 0, first = 0; part < parts; ++part) {
    const int64_t count = (total - first + parts - part - 1) / (parts - part);
    find_tiles(pass.from, pass.rows, pass.columns, In::kFrom, first, count, tiles);
    gather<In, kWinogradWeightsGroup>(pass.from.map, tiles, count, x, 0, blocks(in), zeros, inputs);
    find_tiles(pass.to, pass.rows, pass.columns, Out::kFrom, first, count, tiles);
    for (int64_t block = 0; block < out_blocks; block += 2) {
      const int64_t width = std::min<int64_t>(2, out_blocks - block);
      gather<Out, kWinogradWeightsGroup>(pass.to.map, tiles, count, dy, block, block + width, zeros, outputs);
      float* panel_sums = sums + block / 2 * pass.frequencies * in * kPanel;
      for (int64_t top = 0; top < in; top += kPanel) {
        const PanelProduct<1> narrow(std::min(kPanel, in - top));
        const PanelProduct<2> wide(std::min(kPanel, in - top));
        for (int64_t f = 0; f < pass.frequencies; ++f) {
          const float* a = inputs + (top / kPanel * pass.frequencies + f) * stride;
          const float* b = outputs + f * stride;
          float* c = panel_sums + (f * in + top) * kPanel;
          width == 2 ? wide(a, b, c, count, layout, true) : narrow(a, b, c, count, layout, true);
        }
      }
      for (int64_t half = 0; bias_sums && half < width; ++half) {
        // the point 1 in both directions: this entry is the sum of the tile
        const float* one = outputs + (In::kTo + 1) * stride + half * kBlock;
        Vec8 sum = zero8();
        for (int64_t t = 0; t < count; ++t) sum = sum + load8(one + t * kPanel);
        float* to = bias_sums + (block + half) * kBlock;
        store8(load8(to) + sum, to);
      }
    }
    first += count;
  }
}

void weights_pass(const WinogradPass& pass, const float* x, const float* dy, int64_t images, float* sums,
                  float* bias_sums, float* scratch) {
  if (pass.from.step == 6) {
    correlate<Minimal<6>::Input, Minimal<6>::OutputAdjoint>(pass, x, dy, images, sums, bias_sums, scratch);
  } else if (pass.from.step == 4) {
    correlate<Minimal<4>::Input, Minimal<4>::OutputAdjoint>(pass, x, dy, images, sums, bias_sums, scratch);
  } else {
    correlate<Minimal<2>::Input, Minimal<2>::OutputAdjoint>(pass, x, dy, images, sums, bias_sums, scratch);
  }
}

/// dw [n,k,3,3] = Gᵀ·sums·G
template <class Map>
HWY_INLINE void transform_sums(const float* sums, int64_t k, int64_t n, float* dw) {
  constexpr int64_t size = Map::kFrom, frequencies = size * size;
  for (int64_t first = 0; first < n; first += kBlock) {
    const float* panel = sums + first / kPanel * frequencies * k * kPanel + first % kPanel;
    for (int64_t row = 0; row < k; ++row) {
      Vec8 half[3][size];
      for (int64_t column = 0; column < size; ++column) {
        Vec8 u[size], g[3];
        for (int64_t i = 0; i < size; ++i) u[i] = load8(panel + ((i * size + column) * k + row) * kPanel);
        Map::apply(u, g);
        for (int64_t i = 0; i < 3; ++i) half[i][column] = g[i];
      }
      float entries[9][kBlock];
      for (int64_t i = 0; i < 3; ++i) {
        Vec8 g[3];
        Map::apply(half[i], g);
        for (int64_t j = 0; j < 3; ++j) store8(g[j], entries[3 * i + j]);
      }
      for (int64_t j = first; j < std::min(first + kBlock, n); ++j) {
        for (int64_t i = 0; i < 9; ++i) dw[(j * k + row) * 9 + i] = entries[i][j - first];
      }
    }
  }
}

void finish_sums(int64_t tile, const float* sums, int64_t k, int64_t n, float* dw) {
  if (tile == 6) {
    transform_sums<Minimal<6>::KernelAdjoint>(sums, k, n, dw);
  } else if (tile == 4) {
    transform_sums<Minimal<4>::KernelAdjoint>(sums, k, n, dw);
  } else {
    transform_sums<Minimal<2>::KernelAdjoint>(sums, k, n, dw);
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {
namespace {
HWY_EXPORT(load_kernels);
HWY_EXPORT(weights_pass);
HWY_EXPORT(finish_sums);
}  // namespace

void Winograd::load(const float* weight, const float* bias) {
  const int64_t in = forward_.from.map.channels, out = forward_.to.map.channels, tile = forward_.from.step;
  kernels_.assign(forward_.frequencies * packed_size(in_blocks(in), out), 0.0f);
  kernels_adjoint_.assign(forward_.frequencies * packed_size(in_blocks(out), in), 0.0f);
  HWY_DYNAMIC_DISPATCH(load_kernels)(tile, weight, 9, 9 * in, in, out, kernels_.data());
  HWY_DYNAMIC_DISPATCH(load_kernels)(tile, weight, 9 * in, 9, out, in, kernels_adjoint_.data());
  bias_.clear();
  if (bias) {
    bias_.assign(bias, bias + out);
    bias_.resize(in_blocks(out), 0.0f);
  }
}

int64_t Winograd::gradient_size() const {
  return forward_.frequencies * packed_size(forward_.from.map.channels, forward_.to.map.channels);
}

void Winograd::backward_weights(const float* x, const float* dy, int64_t images, float* sums, float* bias_sums,
                                float* scratch) const {
  HWY_DYNAMIC_DISPATCH(weights_pass)(forward_, x, dy, images, sums, bias_sums, scratch);
}

void Winograd::finish_gradient(const float* sums, float* dw) const {
  HWY_DYNAMIC_DISPATCH(finish_sums)
  (forward_.from.step, sums, forward_.from.map.channels, forward_.to.map.channels, dw);
}

}  // namespace arks::engine
#endif
