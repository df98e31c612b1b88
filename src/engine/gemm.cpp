#include "engine/gemm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/gemm.cpp"
#include "engine/targets.h"

#include <hwy/foreach_target.h>

#include "engine/gemm-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

// A panel of b of this depth stays in L1, so many rows of a in L2.
constexpr int64_t kDepth = 320, kRowsAtATime = 96;

void product(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, const GemmLayout& layout,
             bool accumulate) {
  for (int64_t top = 0; top < m; top += kRowsAtATime) {
    const int64_t rows = std::min(kRowsAtATime, m - top);
    const PanelProduct<1> narrow(rows);
    const PanelProduct<2> wide(rows);
    int64_t begin = 0;
    do {
      const int64_t depth = std::min(kDepth, k - begin);
      for (int64_t column = 0; column < n; column += 2 * kBlock) {
        const float* a_part = a + top * layout.a_row + begin * layout.a_col;
        const float* b_part = b + column / (2 * kBlock) * layout.b_panel + begin * layout.b_row;
        float* c_part = c + top * layout.c_row + column / kBlock * layout.c_block;
        n - column > kBlock ? wide(a_part, b_part, c_part, depth, layout, accumulate || begin > 0)
                            : narrow(a_part, b_part, c_part, depth, layout, accumulate || begin > 0);
      }
      begin += depth;
    } while (begin < k);
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {

HWY_EXPORT(product);

void gemm(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, const GemmLayout& layout,
          bool accumulate) {
  HWY_DYNAMIC_DISPATCH(product)(a, b, c, m, n, k, layout, accumulate);
}

int64_t packed_size(int64_t k, int64_t n) {
  return (n + kPanel - 1) / kPanel * kPanel * k;
}

void pack(const float* at, int64_t row_stride, int64_t col_stride, int64_t k, int64_t n, float* packed) {
  for (int64_t first = 0; first < n; first += kPanel) {
    for (int64_t row = 0; row < k; ++row) {
      for (int64_t j = first; j < first + kPanel; ++j) {
        *packed++ = j < n ? at[row * row_stride + j * col_stride] : 0.0f;
      }
    }
  }
}

}  // namespace arks::engine
#endif
