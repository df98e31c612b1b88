#include <arks/model/cnn.h>
#include <arks/support/error.h>

#include <algorithm>

namespace arks {

namespace {

constexpr int64_t kLongestAtTheEnd = 7, kShortestSide = kLongestAtTheEnd + 1;
constexpr int64_t kWidestFactor = 4;
constexpr int64_t kWidest = 1024;  // a convolution then has up to 9·(4·1024)² weights, 600 MB

/// Of the convolution with this number, 0 being the first, on a side of images that are so long.
int64_t stride_on(int64_t side, int64_t number) {
  constexpr int64_t kLong = 64;
  return side > kLong << number && number < 2 ? 2 : 1;
}

const std::vector<int64_t>& checked_shape(const CnnOptions& options) {
  const auto& shape = options.input_shape();
  ARKS_CHECK(shape.size() == 3 && shape[0] > 0 && std::min(shape[1], shape[2]) >= kShortestSide,
             "cnn takes images of [channels, height, width], both sides at least ", kShortestSide, ", got [",
             c10::Join(", ", shape), "]");
  return shape;
}

}  // namespace

CnnImpl::CnnImpl(const CnnOptions& options) : GraphModule("cnn", checked_shape(options)) {
  ARKS_CHECK(options.outputs() > 0, "cnn: outputs must be positive, got ", options.outputs());
  ARKS_CHECK(options.width() > 0, "cnn: width must be positive, got ", options.width());
  ARKS_CHECK(options.width() <= kWidest, "cnn: width must be at most ", kWidest, " channels, got ", options.width());
  const auto& shape = sample_shape();
  const Extent whole{shape[1], shape[2]};
  Extent side = whole;
  int64_t before = shape[0], channels = options.width(), number = 0;
  while (std::max(side[0], side[1]) > kLongestAtTheEnd) {
    auto layer = new_convolution(before, channels, 3, 1, 1, /*bias=*/!options.batch_norm());
    MaxPool pool;
    for (size_t axis = 0; axis < 2; ++axis) {
      layer.stride[axis] = stride_on(whole[axis], number);
      side[axis] = (side[axis] - 1) / layer.stride[axis] + 1;
      if (side[axis] <= kLongestAtTheEnd) pool.kernel[axis] = pool.stride[axis] = 1;
      side[axis] /= pool.stride[axis];
    }
    ++number;
    then(std::move(layer), c10::str("conv", number));
    if (options.batch_norm()) then(new_batch_norm(channels), c10::str("norm", number));
    then(pool);
    then(operation_of(options.activation()));
    before = channels;
    channels = std::min(2 * channels, kWidestFactor * options.width());
  }
  then(Flatten{});
  then(new_dense(before * side[0] * side[1], options.outputs()), "dense");
  draw_weights(options.seed(), draw_kaiming);
}

int64_t cnn_width(int64_t images) {
  return images < 500 ? 8 : images < 5000 ? 16 : 32;
}

}  // namespace arks
