#include "engine/convolution_op.h"
#include "engine/direct_convolution.h"
#include "engine/few_channels.h"
#include "engine/gemm_convolution.h"
#include "engine/strided_winograd.h"
#include "engine/winograd.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks::engine {

namespace {

/// Winograd and DirectConvolution have the same functions.
template <typename Kernel>
class BlockedKernel : public ConvolutionKernel {
 public:
  template <typename... Arguments>
  explicit BlockedKernel(const Arguments&... arguments) : kernel_(arguments...) {}

  const FeatureMap& out() const override { return kernel_.out(); }
  int64_t scratch_size() const override { return kernel_.scratch_size(); }
  void load(const float* weight, const float* bias) override { kernel_.load(weight, bias); }
  void forward(const float* x, float* y, int64_t images, float* scratch) const override {
    kernel_.forward(x, y, images, scratch);
  }
  void backward_input(const float* dy, float* dx, int64_t images, float* scratch) const override {
    kernel_.backward_input(dy, dx, images, scratch);
  }
  int64_t gradient_size() const override { return kernel_.gradient_size(); }
  void backward_weights(const float* x, const float* dy, int64_t images, float* sums, float* bias_sums,
                        float* scratch) const override {
    kernel_.backward_weights(x, dy, images, sums, bias_sums, scratch);
  }
  void finish_gradient(const float* sums, float* dw) const override { kernel_.finish_gradient(sums, dw); }

 private:
  Kernel kernel_;
};

/// From a plain image, one at a time; back to it by `adjoint` where one is given.
class PlainKernel : public ConvolutionKernel {
 public:
  PlainKernel(const FeatureMap& in, int64_t out_channels, const Window& window,
              std::unique_ptr<StridedWinograd> adjoint)
      : kernel_(in.channels, in.height, in.width, out_channels, window),
        adjoint_(std::move(adjoint)),
        in_stride_((in.channels * in.plane() + kBlock - 1) / kBlock * kBlock),
        weights_(out_channels * in.channels * window.kernel[0] * window.kernel[1]) {}

  const FeatureMap& out() const override { return kernel_.out(); }
  int64_t scratch_size() const override {
    return std::max(kernel_.scratch_size(), adjoint_ ? adjoint_->scratch_size() : 0);
  }
  void load(const float* weight, const float* bias) override {
    kernel_.load(weight, bias);
    if (adjoint_) adjoint_->load(weight, nullptr);
  }
  void forward(const float* x, float* y, int64_t images, float* scratch) const override {
    for (int64_t i = 0; i < images; ++i) kernel_.forward(x + i * in_stride_, y + i * out().size(), scratch);
  }
  void backward_input(const float* dy, float* dx, int64_t images, float* scratch) const override {
    if (adjoint_) return adjoint_->backward_input(dy, dx, images, scratch);
    for (int64_t i = 0; i < images; ++i) kernel_.backward_input(dy + i * out().size(), dx + i * in_stride_, scratch);
  }
  int64_t gradient_size() const override { return weights_; }
  void backward_weights(const float* x, const float* dy, int64_t images, float* sums, float* bias_sums,
                        float* scratch) const override {
    for (int64_t i = 0; i < images; ++i) {
      kernel_.backward_weights(x + i * in_stride_, dy + i * out().size(), sums, bias_sums, scratch);
    }
  }
  void finish_gradient(const float* sums, float* dw) const override { std::copy(sums, sums + weights_, dw); }

  bool can_unpool(const Pooling& pooling) const override {
    const std::array<int64_t, 2> two{2, 2}, none{0, 0};
    return kernel_.can_unpool() && pooling.kernel == two && pooling.stride == two && pooling.padding == none;
  }
  void backward_input_unpooling(const float* dy, const uint8_t* winner, float* dx, float* scratch) const override {
    kernel_.backward_input_unpooling(dy, winner, dx, scratch);
  }

 private:
  FewChannels kernel_;
  std::unique_ptr<StridedWinograd> adjoint_;
  int64_t in_stride_, weights_;
};

constexpr int64_t kMostFewChannels = 4;
/// Of an output map: so few that the weights are most of what a convolution fetches.
constexpr int64_t kFewCells = 4;

/// Vector operations of Winograd per image, and of a direct convolution, roughly: products, and for Winograd about as
/// many additions again for every number that is transformed as tile + 2.
double winograd_work(int64_t tile, const FeatureMap& in, const FeatureMap& out) {
  const auto tiles = static_cast<double>(((out.height + tile - 1) / tile) * ((out.width + tile - 1) / tile));
  const auto numbers = static_cast<double>((tile + 2) * (tile + 2));
  const auto from = static_cast<double>(in_blocks(in.channels));
  const auto to = static_cast<double>(in_blocks(out.channels));
  return tiles * numbers * (from * to + static_cast<double>(tile + 2) * 2 * (from + to));
}

double direct_work(const FeatureMap& in, const FeatureMap& out, const Extent& kernel) {
  return static_cast<double>(out.plane() * kernel[0] * kernel[1] * blocks(in.channels) * blocks(out.channels)) *
         kBlock * kBlock;
}

/// 6, 4, 2, or 0 when a direct convolution is the least work; `in` is what Winograd's algorithm would see.
int64_t best_tile(const FeatureMap& in, const FeatureMap& out, double direct) {
  int64_t best = 0;
  double least = direct;
  for (const int64_t tile : {6, 4, 2}) {
    const double work = winograd_work(tile, in, out);
    if (work < least) {
      least = work;
      best = tile;
    }
  }
  return best;
}

FeatureMap convolved(const ConvolutionSettings& settings) {
  const auto& layer = settings.layer;
  const auto out = shapes_of({layer}, {settings.in.channels, settings.in.height, settings.in.width}).back();
  return {out[0], out[1], out[2]};
}

}  // namespace

std::unique_ptr<ConvolutionKernel> make_kernel(const ConvolutionSettings& settings, int64_t together) {
  const auto& layer = settings.layer;
  ARKS_CHECK(layer.groups == 1, describe(layer), ": convolutions with groups are not compiled");
  const Extent kernel{layer.weight.size(2), layer.weight.size(3)}, once{1, 1}, twice{2, 2}, three{3, 3};
  const auto out = convolved(settings);
  const double direct = direct_work(settings.in, out, kernel);
  const bool near = layer.dilation == once && layer.padding[0] <= 2 && layer.padding[1] <= 2;
  const bool halves =
      near && layer.stride == twice && std::max(kernel[0], kernel[1]) <= StridedWinograd::kLargestKernel;
  const auto split = StridedWinograd::split_map(settings.in, out, settings.plain_input);
  const Window window{kernel, layer.stride, layer.padding, layer.dilation};
  if (settings.plain_input) {
    ARKS_CHECK(layer.dilation == once && settings.in.channels <= kMostFewChannels, describe(layer),
               ": a plain input needs few channels and no dilation");
    // the channels of the four parities fill blocks that those of the image would leave half empty, which pays for the
    // gradient of the input, the slowest of the three
    std::unique_ptr<StridedWinograd> adjoint;
    if (const int64_t tile = halves && settings.in.channels > 1 ? best_tile(split, out, direct) : 0; tile > 0) {
      adjoint = std::make_unique<StridedWinograd>(tile, settings.in, out.channels, window, true);
    }
    return std::make_unique<PlainKernel>(settings.in, out.channels, window, std::move(adjoint));
  }
  const auto product = [&] { return std::make_unique<BlockedKernel<GemmConvolution>>(settings.in, out, window); };
  if (out.plane() <= kFewCells) return product();
  if (near && kernel == three && layer.stride == once) {
    if (const int64_t tile = best_tile(settings.in, out, direct); tile > 0) {
      return std::make_unique<BlockedKernel<Winograd>>(tile, settings.in, out.channels, layer.padding[0],
                                                       layer.padding[1]);
    }
  }
  if (const int64_t tile = halves ? best_tile(split, out, direct) : 0; tile > 0) {
    return std::make_unique<BlockedKernel<StridedWinograd>>(tile, settings.in, out.channels, window, false);
  }
  try {
    return std::make_unique<BlockedKernel<DirectConvolution>>(settings.in, out.channels, window, together);
  } catch (const Error&) {
    return product();  // what oneDNN has no kernel for: fewer than 8 channels, most dilations
  }
}

FeatureMap output_map(const ConvolutionSettings& settings) {
  const auto out = convolved(settings);
  return settings.pooling ? settings.pooling->out(out) : out;
}

}  // namespace arks::engine
