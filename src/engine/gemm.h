#pragma once
#include <cstdint>

namespace arks::engine {

/// How the operands of a small matrix product lie in memory, in floats. Columns come in blocks of eight.
///   a(i,k)   = a[i·a_row + k·a_col]
///   b(k,j)   = b[(j/16)·b_panel + k·b_row + j%16]         j%16 ≥ 8 is not read when n is an odd number of blocks
///   c(i,j)   = c[i·c_row + (j/8)·c_block + j%8]
struct GemmLayout {
  int64_t a_row = 0, a_col = 1;
  int64_t b_panel = 0, b_row = 16;
  int64_t c_row = 0, c_block = 8;
};

/// C = A·B, or C += A·B: a [m,k], b [k,n], c [m,n], n a multiple of 8; on one thread. Every c(i,j) is one sum over k in
/// ascending order, so a row does not depend on how many others there are.
void gemm(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k, const GemmLayout& layout,
          bool accumulate);

/// Columns of a packed panel.
constexpr int64_t kPanel = 16;

/// Packs at(k,j) = at[k·row_stride + j·col_stride], [k,n], as b above: whole panels of 16 columns, b_row 16 and b_panel
/// 16·k; columns from n on are zero.
void pack(const float* at, int64_t row_stride, int64_t col_stride, int64_t k, int64_t n, float* packed);
int64_t packed_size(int64_t k, int64_t n);

}  // namespace arks::engine
