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

/// Kernels g(k,j) = weight[k·k_stride + j·j_stride …+9], [k,n], to G g Gᵀ in panels of 16 columns j: [n/16][f][k][16].
template <class Map>
HWY_INLINE void transform_kernels(const float* weight, int64_t k_stride, int64_t j_stride, int64_t k, int64_t n,
                                  float* packed) {
  constexpr int64_t size = Map::kTo, frequencies = size * size;
  for (int64_t first = 0; first < n; first += kBlock) {
    float* panel = packed + first / kPanel * frequencies * k * kPanel + first % kPanel;
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
        for (int64_t j = 0; j < size; ++j) store8(u[j], panel + ((i * size + j) * k + row) * kPanel);
      }
    }
  }
}

void load_kernels(int64_t tile, const float* weight, int64_t k_stride, int64_t j_stride, int64_t k, int64_t n,
                  float* packed) {
  if (tile == 4) {
    transform_kernels<Minimal<4>::Kernel>(weight, k_stride, j_stride, k, n, packed);
  } else {
    transform_kernels<Minimal<2>::Kernel>(weight, k_stride, j_stride, k, n, packed);
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {
namespace {
HWY_EXPORT(load_kernels);
}

void Winograd::load(const float* weight, const float* bias) {
  const int64_t in = forward_.from.map.channels, out = forward_.to.map.channels, tile = forward_.from.step;
  kernels_.assign(forward_.frequencies * packed_size(in, out), 0.0f);
  kernels_adjoint_.assign(forward_.frequencies * packed_size(out, in), 0.0f);
  HWY_DYNAMIC_DISPATCH(load_kernels)(tile, weight, 9, 9 * in, in, out, kernels_.data());
  HWY_DYNAMIC_DISPATCH(load_kernels)(tile, weight, 9 * in, 9, out, in, kernels_adjoint_.data());
  bias_.clear();
  if (bias) {
    bias_.assign(bias, bias + out);
    bias_.resize(blocks(out) * kBlock, 0.0f);
  }
}

}  // namespace arks::engine
#endif
