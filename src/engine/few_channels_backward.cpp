#include "engine/few_channels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/few_channels_backward.cpp"
#include "engine/targets.h"

#include <hwy/foreach_target.h>

#include "engine/few_channels-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

/// Pixels whose distance is the stride are reached by the same taps of the kernel, first, first + stride, …: pixel
/// number q of such a phase by the outputs q, q − 1, …, q − taps + 1. It lies at q·stride + first − padding.
struct Phase {
  Phase(int64_t first_tap, int64_t kernel, int64_t stride, int64_t padding, int64_t size) : first(first_tap) {
    taps = first < kernel ? (kernel - first + stride - 1) / stride : 0;
    begin = first < padding ? (padding - first + stride - 1) / stride : 0;
    first_pixel = begin * stride + first - padding;
    end = begin + (first_pixel < size ? (size - first_pixel + stride - 1) / stride : 0);
  }
  int64_t first, taps;
  int64_t begin, end;  // numbers of the pixels in the image
  int64_t first_pixel;
};

/// Where a row of pixels gets its gradient from: some rows of dy, each with a row of the kernel.
struct Sources {
  const float* dy;                        // the first of the rows; the next is the one above
  const float* weights;                   // its row of the kernel, from the first tap of the phase on
  int64_t rows, blocks;                   // blocks of eight channels
  int64_t width, dy_row, dy_block;        // of dy
  int64_t tap, weight_row, weight_block;  // strides of the weights
};

/// sum[r][c] += Σ_i dy[q + r − i]·weights[i][c], eight channels of dy at once.
template <int pixels, int channels, int taps, bool checked>
HWY_INLINE void add_row(const float* dy, int64_t width, int64_t q, const float* weights, int64_t tap,
                        Vec8 (&sum)[pixels][channels]) {
  if constexpr (channels == 1) {
    // every vector of dy is loaded once; the weights stay in registers
    Vec8 w[taps];
    for (int i = 0; i < taps; ++i) w[i] = load8(weights + i * tap);
    ARKS_UNROLL
    for (int j = 1 - taps; j < pixels; ++j) {
      if (checked && (q + j < 0 || q + j >= width)) continue;
      const Vec8 value = load8(dy + (q + j) * kBlock);
      HWY_UNROLL(3)
      for (int i = 0; i < taps; ++i) {
        if (j + i >= 0 && j + i < pixels) sum[j + i][0] = mul_add(value, w[i], sum[j + i][0]);
      }
    }
  } else {
    HWY_UNROLL(3)
    for (int i = 0; i < taps; ++i) {
      Vec8 w[channels];
      for (int c = 0; c < channels; ++c) w[c] = load8(weights + i * tap + c * kBlock);
      ARKS_UNROLL
      for (int r = 0; r < pixels; ++r) {
        if (checked && (q + r - i < 0 || q + r - i >= width)) continue;
        const Vec8 value = load8(dy + (q + r - i) * kBlock);
        for (int c = 0; c < channels; ++c) sum[r][c] = mul_add(value, w[c], sum[r][c]);
      }
    }
  }
}

/// The sums of the lanes of four vectors.
HWY_INLINE void sum_lanes(const Vec8* v, float* sums) {
#if HWY_TARGET == HWY_SCALAR
  for (int i = 0; i < 4; ++i) {
    float lanes[kBlock];
    store8(v[i], lanes);
    sums[i] = 0.0f;
    for (float lane : lanes) sums[i] += lane;
  }
#else
  const FloatTag d;
  hn::Vec<FloatTag> part[4];
  for (int i = 0; i < 4; ++i) part[i] = kParts == 2 ? hn::Add(v[i].part[0], v[i].part[kParts - 1]) : v[i].part[0];
  const auto ab = hn::Add(hn::InterleaveLower(d, part[0], part[1]), hn::InterleaveUpper(d, part[0], part[1]));
  const auto cd = hn::Add(hn::InterleaveLower(d, part[2], part[3]), hn::InterleaveUpper(d, part[2], part[3]));
  const hn::Repartition<uint64_t, FloatTag> pairs;
  const auto first = hn::BitCast(pairs, ab), second = hn::BitCast(pairs, cd);
  const auto total = hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, first, second)),
                             hn::BitCast(d, hn::InterleaveUpper(pairs, first, second)));
#if HWY_MAX_BYTES >= 32
  const hn::Half<FloatTag> half;
  hn::StoreU(hn::Add(hn::LowerHalf(half, total), hn::UpperHalf(half, total)), half, sums);
#else
  hn::StoreU(total, d, sums);
#endif
#endif
}

/// The gradient of `pixels` pixels from number q on, [pixels][channels]. taps 0 stands for any number of them.
template <int pixels, int channels, int taps, bool checked>
HWY_NOINLINE void pixel_gradients(const Sources& from, int64_t any_taps, int64_t q, float* gradients) {
  Vec8 sum[pixels][channels];
  for (int r = 0; r < pixels; ++r) {
    for (int c = 0; c < channels; ++c) sum[r][c] = zero8();
  }
  for (int64_t block = 0; block < from.blocks; ++block) {
    const float* dy = from.dy + block * from.dy_block;
    const float* weights = from.weights + block * from.weight_block;
    for (int64_t row = 0; row < from.rows; ++row, dy -= from.dy_row, weights += from.weight_row) {
      if constexpr (taps > 0) {
        add_row<pixels, channels, taps, checked>(dy, from.width, q, weights, from.tap, sum);
      } else {
        for (int64_t i = 0; i < any_taps; ++i) {
          add_row<pixels, channels, 1, checked>(dy, from.width, q - i, weights + i * from.tap, 0, sum);
        }
      }
    }
  }
  for (int i = 0; i < pixels * channels; i += 4) {
    Vec8 four[4];
    for (int j = 0; j < 4; ++j) four[j] = sum[(i + j) / channels][(i + j) % channels];
    sum_lanes(four, gradients + i);
  }
}

/// A row of pixels of one phase.
template <int channels, int taps>
HWY_INLINE void gradient_row(const Sources& from, const Phase& phase, float* dx, int64_t stride, int64_t plane) {
  constexpr int pixels = channels == 1 ? 8 : channels == 4 ? 3 : 4;  // so that the sums fit into registers
  const int64_t count = phase.end - phase.begin, valid = std::min<int64_t>(pixels, count);
  for (int64_t i = 0; i < count; i += pixels) {
    const int64_t start = std::min(i, count - valid), q = phase.begin + start;
    float gradients[pixels * channels];
    if (q - phase.taps + 1 >= 0 && q + pixels <= from.width) {
      pixel_gradients<pixels, channels, taps, false>(from, phase.taps, q, gradients);
    } else {
      pixel_gradients<pixels, channels, taps, true>(from, phase.taps, q, gradients);
    }
    for (int64_t r = 0; r < valid; ++r) {
      for (int c = 0; c < channels; ++c) dx[c * plane + (start + r) * stride] = gradients[r * channels + c];
    }
  }
}

template <int channels>
HWY_INLINE void gradient_image(const FewChannels::Shape& shape, const float* adjoint, const float* dy, float* dx) {
  const auto &kernel = shape.window.kernel, &stride = shape.window.stride, &padding = shape.window.padding;
  Sources from;
  from.blocks = blocks(shape.out.channels);
  from.width = shape.out.width;
  from.dy_row = shape.out.width * kBlock;
  from.dy_block = shape.out.plane() * kBlock;
  from.tap = stride[1] * channels * kBlock;
  from.weight_row = stride[0] * kernel[1] * channels * kBlock;
  from.weight_block = kernel[0] * kernel[1] * channels * kBlock;
  for (int64_t y = 0; y < shape.height; ++y) {
    const Phase rows((y + padding[0]) % stride[0], kernel[0], stride[0], padding[0], shape.height);
    const int64_t q = (y + padding[0]) / stride[0];
    const int64_t skip = std::max<int64_t>(0, q - shape.out.height + 1);
    from.rows = std::max<int64_t>(0, std::min(rows.taps, q + 1) - skip);
    from.dy = dy + (q - skip) * from.dy_row;
    const float* weights = adjoint + rows.first * kernel[1] * channels * kBlock + skip * from.weight_row;
    for (int64_t first = 0; first < stride[1]; ++first) {
      const Phase phase(first, kernel[1], stride[1], padding[1], shape.width);
      from.weights = weights + first * channels * kBlock;
      float* to = dx + y * shape.width + phase.first_pixel;
      const int64_t plane = shape.height * shape.width;
      switch (phase.taps) {
        case 3:
          gradient_row<channels, 3>(from, phase, to, stride[1], plane);
          break;
        case 2:
          gradient_row<channels, 2>(from, phase, to, stride[1], plane);
          break;
        default:
          gradient_row<channels, 0>(from, phase, to, stride[1], plane);
          break;
      }
    }
  }
}

void image_gradient(const FewChannels::Shape& shape, const float* adjoint, const float* dy, float* dx) {
  switch (shape.channels) {
    case 1:
      gradient_image<1>(shape, adjoint, dy, dx);
      break;
    case 2:
      gradient_image<2>(shape, adjoint, dy, dx);
      break;
    case 3:
      gradient_image<3>(shape, adjoint, dy, dx);
      break;
    default:
      gradient_image<4>(shape, adjoint, dy, dx);
      break;
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {
namespace {
HWY_EXPORT(image_gradient);
}

void FewChannels::load_adjoint(const float* weight) {
  const int64_t channels = shape_.channels, area = shape_.window.kernel[0] * shape_.window.kernel[1];
  adjoint_.assign(blocks(shape_.out.channels) * area * channels * kBlock, 0.0f);
  for (int64_t out = 0; out < shape_.out.channels; ++out) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t i = 0; i < area; ++i) {
        adjoint_[((out / kBlock * area + i) * channels + c) * kBlock + out % kBlock] = *weight++;
      }
    }
  }
}

void FewChannels::backward_input(const float* dy, float* dx, float* /*scratch*/) const {
  HWY_DYNAMIC_DISPATCH(image_gradient)(shape_, adjoint_.data(), dy, dx);
}

}  // namespace arks::engine
#endif
