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

/// c [parts·rows, 8·column_blocks] = a·b (+ c), so many rows at a time: their sums stay in registers while k runs.
template <int rows, int column_blocks>
HWY_NOINLINE void micro_kernel(const float* a, const float* b, float* c, int64_t parts, int64_t k,
                               const GemmLayout& layout, bool accumulate) {
  const int64_t a_row = layout.a_row, a_col = layout.a_col, b_row = layout.b_row;
  const int64_t c_row = layout.c_row, c_block = layout.c_block;
  for (int64_t part = 0; part < parts; ++part, a += rows * a_row, c += rows * c_row) {
    Vec8 sum[rows][column_blocks];
    ARKS_UNROLL
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < column_blocks; ++j) {
        sum[i][j] = accumulate ? load8(c + i * c_row + j * c_block) : zero8();
      }
    }
    const float* left = a;
    const float* right = b;
    // a loop of few steps ends before its end can be foreseen, hence four at a time
    HWY_UNROLL(4)
    for (int64_t step = 0; step < k; ++step, left += a_col, right += b_row) {
      Vec8 row[column_blocks];
      for (int j = 0; j < column_blocks; ++j) row[j] = load8(right + j * kBlock);
      ARKS_UNROLL
      for (int i = 0; i < rows; ++i) {
        const Vec8 factor = set8(left[i * a_row]);
        for (int j = 0; j < column_blocks; ++j) sum[i][j] = mul_add(factor, row[j], sum[i][j]);
      }
    }
    ARKS_UNROLL
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < column_blocks; ++j) store8(sum[i][j], c + i * c_row + j * c_block);
    }
  }
}

using MicroKernel = void (*)(const float*, const float*, float*, int64_t, int64_t, const GemmLayout&, bool);

/// How m rows are shared out: by fours and fives, or sixes where that does not come out even. Fewer sums than those of
/// four rows do not hide the latency of the multiplier; more leave no registers for the next product to begin while the
/// last one is being stored. `longer` parts have `rows` rows, `shorter` parts one less.
struct RowParts {
  explicit RowParts(int64_t m) {
    int64_t parts = m / 4;
    if (parts * kRows < m) ++parts;
    rows = (m + parts - 1) / parts;
    longer = m - (rows - 1) * parts;
    shorter = parts - longer;
  }
  int64_t rows, longer, shorter;
};

/// m rows against one panel.
template <int column_blocks>
class PanelProduct {
 public:
  explicit PanelProduct(int64_t m) : parts_(m) {
    constexpr MicroKernel kernels[] = {micro_kernel<1, column_blocks>, micro_kernel<2, column_blocks>,
                                       micro_kernel<3, column_blocks>, micro_kernel<4, column_blocks>,
                                       micro_kernel<5, column_blocks>, micro_kernel<6, column_blocks>};
    kernel_ = kernels[parts_.rows - 1];
    shorter_kernel_ = kernels[parts_.shorter > 0 ? parts_.rows - 2 : 0];
  }
  HWY_INLINE void operator()(const float* a, const float* b, float* c, int64_t k, const GemmLayout& layout,
                             bool accumulate) const {
    kernel_(a, b, c, parts_.longer, k, layout, accumulate);
    if (parts_.shorter == 0) return;
    const int64_t done = parts_.longer * parts_.rows;
    shorter_kernel_(a + done * layout.a_row, b, c + done * layout.c_row, parts_.shorter, k, layout, accumulate);
  }

 private:
  RowParts parts_;
  MicroKernel kernel_, shorter_kernel_;
};

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
