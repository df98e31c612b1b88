#include "certify/convolution_norm.h"

#include "numbers.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

constexpr double kTwoPi = 6.283185307179586476925;
constexpr int64_t kSmallMatrix = 1 << 20;    // entries of a convolution that is written out as a matrix
constexpr int64_t kNumbersAtOnce = 1 << 22;  // complex numbers of the kernels' transforms in memory

/// exp(−2πi·frequency·dilation·tap/size), [frequencies,taps]
torch::Tensor waves(const torch::Tensor& frequencies, int64_t taps, int64_t dilation, int64_t size) {
  // the product is reduced before it becomes an angle, which keeps the angle exact to rounding
  const auto steps = (frequencies.unsqueeze(1) * (dilation * torch::arange(taps, torch::kLong))).remainder(size);
  const auto angle = steps.to(torch::kDouble) * (-kTwoPi / static_cast<double>(size));
  return torch::complex(angle.cos(), angle.sin());
}

/// Largest singular value of a batch of matrices [...,rows,columns], by the Gram matrix of the shorter side.
double largest_singular_value(const torch::Tensor& matrices) {
  const auto adjoint = matrices.mH();
  const auto gram = matrices.size(-2) <= matrices.size(-1) ? matrices.matmul(adjoint) : adjoint.matmul(matrices);
  return std::sqrt(std::max(0.0, torch::linalg_eigvalsh(gram).max().item<double>()));
}

/// [groups,out/groups,in/groups,kh,kw] in float64
torch::Tensor grouped_kernels(const Convolution& layer) {
  const auto& w = layer.weight;
  return w.detach()
      .to(torch::kDouble)
      .reshape({layer.groups, w.size(0) / layer.groups, w.size(1), w.size(2), w.size(3)});
}

double matrix_norm(const Convolution& layer, torch::IntArrayRef in) {
  const int64_t inputs = c10::multiply_integers(in);
  const auto unit = torch::eye(inputs, torch::kDouble).reshape({inputs, in[0], in[1], in[2]});
  auto exact = layer;
  exact.weight = layer.weight.detach().to(torch::kDouble);
  exact.bias = torch::Tensor();
  return torch::linalg_svdvals(evaluate(exact, {unit}).flatten(1)).max().item<double>();
}

int64_t rounded_up_to(int64_t size, int64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

}  // namespace

double circulant_norm(const Convolution& layer, const Extent& grid) {
  const auto& s = layer.stride;
  ARKS_CHECK(grid[0] > 0 && grid[1] > 0 && grid[0] % s[0] == 0 && grid[1] % s[1] == 0,
             "convolution norm: the grid must be a multiple of the stride, got ", grid[0], "×", grid[1]);
  const auto kernels = grouped_kernels(layer);
  const int64_t groups = kernels.size(0), out = kernels.size(1), in = kernels.size(2);
  const int64_t rows = grid[0] / s[0], columns = (grid[1] / s[1]) / 2 + 1;
  // all (column frequency, alias) pairs: the kernel's last axis is transformed once, [g,o,i,kh,columns·s_w]
  const auto column =
      torch::arange(columns, torch::kLong).unsqueeze(1) + grid[1] / s[1] * torch::arange(s[1], torch::kLong);
  const auto across = waves(column.flatten(), kernels.size(4), layer.dilation[1], grid[1]);
  const auto half = kernels.to(torch::kComplexDouble).matmul(across.t());
  const int64_t numbers_per_row = half.numel() / kernels.size(3) * s[0];
  const int64_t at_once = std::max<int64_t>(1, kNumbersAtOnce / numbers_per_row);
  double largest = 0;
  for (int64_t begin = 0; begin < rows; begin += at_once) {
    const int64_t count = std::min(at_once, rows - begin);
    const auto row = torch::arange(begin, begin + count, torch::kLong).unsqueeze(1) +
                     grid[0] / s[0] * torch::arange(s[0], torch::kLong);
    const auto along = waves(row.flatten(), kernels.size(3), layer.dilation[0], grid[0]);
    // [g,o,i,columns·s_w,rows·s_h] → one matrix [o, i·s_h·s_w] for each group, row and column
    const auto transform = half.transpose(3, 4).matmul(along.t());
    const auto folded = transform.reshape({groups, out, in, columns, s[1], count, s[0]})
                            .permute({0, 3, 5, 1, 2, 4, 6})
                            .reshape({groups * columns * count, out, in * s[1] * s[0]});
    largest = std::max(largest, largest_singular_value(folded));
  }
  return largest / std::sqrt(static_cast<double>(s[0] * s[1]));
}

double convolution_norm(const Convolution& layer, torch::IntArrayRef input_shape) {
  const auto out = shapes_of({layer}, input_shape).back();
  const int64_t inputs = c10::multiply_integers(input_shape);
  // the matrix is had by applying the layer to all unit vectors, which take inputs² numbers
  if (inputs * c10::multiply_integers(out) <= kSmallMatrix && inputs * inputs <= 16 * kSmallMatrix) {
    return rounded_up(matrix_norm(layer, input_shape));
  }
  Extent grid;
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t reach = layer.dilation[axis] * (layer.weight.size(static_cast<int64_t>(axis) + 2) - 1);
    grid[axis] = rounded_up_to(input_shape[axis + 1] + reach, layer.stride[axis]);
  }
  return rounded_up(circulant_norm(layer, grid));
}

}  // namespace arks
