#include "certify/convolution_norm.h"
#include "certify/jacobians.h"

#include <cmath>

namespace arks {

using testing::jacobian;
using testing::normal;
using testing::power_iteration;
using testing::spectral_norm;

namespace {

Convolution random_convolution(int64_t out, int64_t in, int64_t height, int64_t width, uint64_t seed = 1) {
  return {normal({out, in, height, width}, seed), {}};
}

struct Case {
  const char* name;
  Convolution layer;
  std::vector<int64_t> shape;  // of a sample
};

Convolution with(Convolution layer, Extent stride, Extent padding, Extent dilation = {1, 1}, int64_t groups = 1) {
  layer.stride = stride;
  layer.padding = padding;
  layer.dilation = dilation;
  layer.groups = groups;
  return layer;
}

std::vector<Case> cases() {
  return {
      {"plain", random_convolution(3, 2, 3, 3), {2, 7, 7}},
      {"padded", with(random_convolution(3, 2, 3, 3), {1, 1}, {1, 1}), {2, 7, 8}},
      {"padded beyond the kernel", with(random_convolution(2, 2, 3, 3), {1, 1}, {4, 3}), {2, 5, 5}},
      {"one channel, odd sizes", with(random_convolution(4, 1, 3, 5), {1, 1}, {1, 2}), {1, 9, 11}},
      {"strided", with(random_convolution(3, 2, 3, 3), {2, 2}, {1, 1}), {2, 9, 10}},
      {"strides that do not divide", with(random_convolution(3, 4, 5, 5), {2, 3}, {1, 0}), {4, 11, 13}},
      {"stride beyond the kernel", with(random_convolution(3, 2, 2, 2), {3, 3}, {0, 0}), {2, 8, 8}},
      {"dilated", with(random_convolution(2, 3, 3, 3), {1, 1}, {2, 2}, {2, 3}), {3, 8, 9}},
      {"dilated and strided", with(random_convolution(2, 3, 3, 3), {2, 1}, {2, 2}, {2, 3}), {3, 8, 9}},
      {"grouped", with(random_convolution(6, 2, 3, 3), {1, 1}, {1, 1}, {1, 1}, 2), {4, 6, 6}},
      {"depthwise and strided", with(random_convolution(4, 1, 3, 3), {2, 2}, {1, 1}, {1, 1}, 4), {4, 7, 7}},
      {"pointwise", random_convolution(5, 3, 1, 1), {3, 4, 4}},
      {"kernel as large as the image", random_convolution(4, 2, 5, 5), {2, 5, 5}},
      {"even kernel", with(random_convolution(2, 2, 4, 2), {1, 1}, {2, 1}), {2, 6, 7}},
  };
}

int64_t rounded_up(int64_t size, int64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

/// The grid on which the zero-padded random_convolution is a block of the one that wraps around.
Extent enlarged(const Case& each) {
  Extent grid;
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t kernel = each.layer.weight.size(static_cast<int64_t>(axis) + 2);
    grid[axis] = rounded_up(each.shape[axis + 1] + each.layer.dilation[axis] * (kernel - 1), each.layer.stride[axis]);
  }
  return grid;
}

torch::Tensor zeros_of(std::vector<int64_t> shape) {
  shape.insert(shape.begin(), 1);
  return torch::zeros(shape, torch::kDouble);
}

/// The strided random_convolution on a grid that wraps around, as a matrix, from its definition: one output at a time.
torch::Tensor circulant_matrix(const Convolution& layer, const Extent& grid) {
  const auto& w = layer.weight;
  const int64_t in = w.size(1) * layer.groups, out_per_group = w.size(0) / layer.groups;
  auto matrix = torch::zeros({w.size(0), grid[0] / layer.stride[0], grid[1] / layer.stride[1], in, grid[0], grid[1]},
                             torch::kDouble);
  auto entries = matrix.accessor<double, 6>();
  const auto taps = w.accessor<double, 4>();
  for (int64_t o = 0; o < matrix.size(0); ++o)
    for (int64_t r = 0; r < matrix.size(1); ++r)
      for (int64_t c = 0; c < matrix.size(2); ++c)
        for (int64_t i = 0; i < w.size(1); ++i)
          for (int64_t y = 0; y < w.size(2); ++y)
            for (int64_t x = 0; x < w.size(3); ++x)
              entries[o][r][c][o / out_per_group * w.size(1) + i]
                     [(r * layer.stride[0] + y * layer.dilation[0]) % grid[0]]
                     [(c * layer.stride[1] + x * layer.dilation[1]) % grid[1]] += taps[o][i][y][x];
  return matrix.flatten(3).flatten(0, 2);
}

}  // namespace

TEST(CirculantNorm, IsTheNormOfTheMatrix) {
  for (const auto& each : cases()) {
    const auto grid = enlarged(each);
    const double expected = spectral_norm(circulant_matrix(each.layer, grid));
    EXPECT_NEAR(circulant_norm(each.layer, grid), expected, 1e-12 * expected) << each.name;
  }
}

TEST(CirculantNorm, IsNotBelowTheZeroPaddedConvolutionOnTheEnlargedGrid) {
  for (const auto& each : cases()) {
    const double found = spectral_norm(jacobian({each.layer}, zeros_of(each.shape)));
    EXPECT_LE(found, circulant_norm(each.layer, enlarged(each)) * (1 + 1e-12)) << each.name;
  }
}

TEST(CirculantNorm, OnAGridOfTheSameSizeIsNoBound) {
  // 1 −1 wraps around: on two cells with the kernel (1, 0, −1) the border sees the cell itself and everything cancels,
  // while with zeros around it (x1,x2) ↦ (−x2, x1)
  Convolution layer{torch::tensor({1.0, 0.0, -1.0}, torch::kDouble).reshape({1, 1, 1, 3}), {}};
  layer.padding = {0, 1};
  const double found = power_iteration({layer}, zeros_of({1, 1, 2}));
  EXPECT_NEAR(found, 1, 1e-12);
  EXPECT_NEAR(circulant_norm(layer, {1, 2}), 0, 1e-12);
  EXPECT_GE(circulant_norm(layer, {1, 4}), found);
  EXPECT_GE(convolution_norm(layer, {1, 1, 2}), found);
  // 600 such rows are too many for a matrix
  EXPECT_GE(convolution_norm(layer, {1, 600, 2}), found);
}

TEST(ConvolutionNorm, IsNeverBelowPowerIterationAndExactForSmallLayers) {
  for (const auto& each : cases()) {
    const double bound = convolution_norm(each.layer, each.shape);
    EXPECT_GE(bound, power_iteration({each.layer}, zeros_of(each.shape), 100)) << each.name;
    const double exact = spectral_norm(jacobian({each.layer}, zeros_of(each.shape)));
    EXPECT_NEAR(bound, exact, 1e-8 * exact) << each.name;
  }
}

TEST(ConvolutionNorm, OfALargeLayerIsWithinAFewPerCentOfPowerIteration) {
  const auto layer = with(random_convolution(16, 8, 3, 3), {1, 1}, {1, 1});
  const std::vector<int64_t> shape{8, 32, 32};
  const double found = power_iteration({layer}, zeros_of(shape), 150), bound = convolution_norm(layer, shape);
  EXPECT_GE(bound, found);
  EXPECT_LT(bound, 1.02 * found);
}

TEST(ConvolutionNorm, OfALargeStridedLayerIsWithinAFewPerCentOfPowerIteration) {
  const auto layer = with(random_convolution(16, 6, 5, 5), {2, 2}, {1, 1});
  const std::vector<int64_t> shape{6, 47, 33};
  const double found = power_iteration({layer}, zeros_of(shape), 150), bound = convolution_norm(layer, shape);
  EXPECT_GE(bound, found);
  EXPECT_LT(bound, 1.03 * found);
  auto unstrided = layer;
  unstrided.stride = {1, 1};
  EXPECT_LT(bound, 0.8 * convolution_norm(unstrided, shape)) << "what the stride leaves out is not counted";
}

TEST(CirculantNorm, OfPositiveTapsIsTheirSum) {
  // attained by the constant image; with stride s every output still sees all taps, and there are fewer outputs
  Convolution layer{torch::full({1, 1, 3, 3}, 2.0, torch::kDouble), {}};
  EXPECT_NEAR(circulant_norm(layer, {64, 48}), 18, 1e-12);
  layer.stride = {3, 3};
  EXPECT_NEAR(circulant_norm(layer, {66, 48}), 6, 1e-12);
}

TEST(ConvolutionNorm, DoesNotDependOnTheTypeOfTheWeights) {
  auto layer = random_convolution(16, 8, 3, 3);
  layer.weight = layer.weight.to(torch::kFloat).to(torch::kDouble);
  auto single = layer;
  single.weight = layer.weight.to(torch::kFloat);
  EXPECT_EQ(convolution_norm(layer, {8, 20, 20}), convolution_norm(single, {8, 20, 20}));
}

TEST(CirculantNorm, RefusesAGridThatIsNoMultipleOfTheStride) {
  testing::expect_error(
      [] {
        circulant_norm(with(random_convolution(1, 1, 3, 3), {2, 1}, {0, 0}), {7, 8});
      },
      "the grid must be a multiple of the stride, got 7×8");
}

}  // namespace arks
