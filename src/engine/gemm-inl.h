// The product of a few rows with one panel of columns, for every target; gemm and Winograd's products are made of it.
#if defined(ARKS_ENGINE_GEMM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARKS_ENGINE_GEMM_INL_H
#undef ARKS_ENGINE_GEMM_INL_H
#else
#define ARKS_ENGINE_GEMM_INL_H
#endif

#include "engine/gemm.h"
#include "engine/vec8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

constexpr int64_t kRows = 6;  // 6×16 sums fill twelve registers of AVX2, and two more hold a row of b

/// c [rows, 8·column_blocks] = a·b (+ c): all sums stay in registers while k runs.
template <int rows, int column_blocks>
HWY_NOINLINE void micro_kernel(const float* a, const float* b, float* c, int64_t k, const GemmLayout& layout,
                               bool accumulate) {
  Vec8 sum[rows][column_blocks];
  HWY_UNROLL(kRows)
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < column_blocks; ++j) {
      sum[i][j] = accumulate ? load8(c + i * layout.c_row + j * layout.c_block) : zero8();
    }
  }
  const int64_t a_row = layout.a_row, a_col = layout.a_col, b_row = layout.b_row;
  HWY_UNROLL(4)
  for (int64_t step = 0; step < k; ++step, a += a_col, b += b_row) {
    Vec8 row[column_blocks];
    for (int j = 0; j < column_blocks; ++j) row[j] = load8(b + j * kBlock);
    HWY_UNROLL(kRows)
    for (int i = 0; i < rows; ++i) {
      const Vec8 factor = set8(a[i * a_row]);
      for (int j = 0; j < column_blocks; ++j) sum[i][j] = mul_add(factor, row[j], sum[i][j]);
    }
  }
  HWY_UNROLL(kRows)
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < column_blocks; ++j) store8(sum[i][j], c + i * layout.c_row + j * layout.c_block);
  }
}

/// m rows against one panel. They are shared out evenly (8 is 4 + 4, not 6 + 2): with fewer than four rows the sums are
/// too few to hide the latency of the multiplier.
template <int column_blocks>
HWY_INLINE void panel_product(const float* a, const float* b, float* c, int64_t m, int64_t k, const GemmLayout& layout,
                              bool accumulate) {
  const int64_t parts = (m + kRows - 1) / kRows;
  for (int64_t part = 0, done = 0; part < parts; ++part) {
    const int64_t rows = (m - done + parts - part - 1) / (parts - part);
    const float* a_part = a + done * layout.a_row;
    float* c_part = c + done * layout.c_row;
    switch (rows) {
      case 6:
        micro_kernel<6, column_blocks>(a_part, b, c_part, k, layout, accumulate);
        break;
      case 5:
        micro_kernel<5, column_blocks>(a_part, b, c_part, k, layout, accumulate);
        break;
      case 4:
        micro_kernel<4, column_blocks>(a_part, b, c_part, k, layout, accumulate);
        break;
      case 3:
        micro_kernel<3, column_blocks>(a_part, b, c_part, k, layout, accumulate);
        break;
      case 2:
        micro_kernel<2, column_blocks>(a_part, b, c_part, k, layout, accumulate);
        break;
      default:
        micro_kernel<1, column_blocks>(a_part, b, c_part, k, layout, accumulate);
        break;
    }
    done += rows;
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
