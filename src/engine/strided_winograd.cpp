#include "engine/strided_winograd.h"

#include "engine/cache_line.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace arks::engine {

namespace {

constexpr int64_t kSplitFloats = 65536;

FeatureMap out_map(const FeatureMap& in, int64_t out_channels, const Window& window) {
  return {out_channels, (in.height + 2 * window.padding[0] - window.kernel[0]) / 2 + 1,
          (in.width + 2 * window.padding[1] - window.kernel[1]) / 2 + 1};
}

}  // namespace

FeatureMap StridedWinograd::split_map(const FeatureMap& in, const FeatureMap& out, bool plain_input) {
  return {4 * (plain_input ? in.channels : in_blocks(in.channels)), out.height + 2, out.width + 2};
}

StridedWinograd::StridedWinograd(int64_t tile, const FeatureMap& in, int64_t out_channels, const Window& window,
                                 bool plain_input)
    : in_(in),
      split_(split_map(in, out_map(in, out_channels, window), plain_input)),
      window_(window),
      plain_input_(plain_input),
      winograd_(tile, split_, out_channels, 0, 0),
      in_stride_(plain_input ? in_blocks(in.channels * in.plane()) : in.size()),
      share_(split_.channels / 4),
      group_(std::clamp<int64_t>(kSplitFloats / split_.size(), 1, 16)) {}

int64_t StridedWinograd::scratch_size() const {
  return whole_lines(winograd_.scratch_size()) + group_ * split_.size();
}

float* StridedWinograd::parts(float* scratch) const {
  return scratch + whole_lines(winograd_.scratch_size());
}

template <typename Function>
void StridedWinograd::for_plain(Function f) const {
  for (int64_t c = 0; c < in_.channels; ++c) {
    for (int64_t y = 0; y < in_.height; ++y) {
      const int64_t i = (y + window_.padding[0]) / 2, row = (y + window_.padding[0]) % 2;
      if (i >= split_.height) continue;
      const int64_t from = (c * in_.height + y) * in_.width;
      for (int64_t column = 0; column < 2; ++column) {
        const int64_t channel = (row * 2 + column) * share_ + c;
        const int64_t to = (channel / kBlock * split_.plane() + i * split_.width) * kBlock + channel % kBlock;
        // the first column of this parity that is on the map
        const int64_t first = (window_.padding[1] + column) % 2;
        for (int64_t z = first; z < in_.width; z += 2) {
          const int64_t j = (z + window_.padding[1]) / 2;
          if (j < split_.width) f(from + z, to + j * kBlock);
        }
      }
    }
  }
}

void StridedWinograd::split_plain(const float* x, float* to) const {
  std::memset(to, 0, static_cast<size_t>(split_.size()) * sizeof(float));
  for_plain([&](int64_t image, int64_t part) { to[part] = x[image]; });
}

void StridedWinograd::join_plain(const float* from, float* x) const {
  std::memset(x, 0, static_cast<size_t>(in_stride_) * sizeof(float));
  for_plain([&](int64_t image, int64_t part) { x[image] = from[part]; });
}

void StridedWinograd::split(const float* x, float* to) const {
  if (plain_input_) return split_plain(x, to);
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t column = 0; column < 2; ++column) {
      for (int64_t block = 0; block < blocks(in_.channels); ++block) {
        const float* const from = x + block * in_.plane() * kBlock;
        for (int64_t i = 0; i < split_.height; ++i) {
          const int64_t y = 2 * i + row - window_.padding[0];
          for (int64_t j = 0; j < split_.width; ++j, to += kBlock) {
            const int64_t z = 2 * j + column - window_.padding[1];
            if (y < 0 || y >= in_.height || z < 0 || z >= in_.width) {
              std::memset(to, 0, kBlock * sizeof(float));
            } else {
              copy_block(from + (y * in_.width + z) * kBlock, to);
            }
          }
        }
      }
    }
  }
}

void StridedWinograd::join(const float* from, float* x) const {
  if (plain_input_) return join_plain(from, x);
  const int64_t count = blocks(in_.channels), plane = split_.plane() * kBlock;
  for (int64_t block = 0; block < count; ++block) {
    for (int64_t y = 0; y < in_.height; ++y) {
      const int64_t i = (y + window_.padding[0]) / 2, row = (y + window_.padding[0]) % 2;
      for (int64_t z = 0; z < in_.width; ++z, x += kBlock) {
        const int64_t j = (z + window_.padding[1]) / 2, column = (z + window_.padding[1]) % 2;
        if (i >= split_.height || j >= split_.width) {
          std::memset(x, 0, kBlock * sizeof(float));
        } else {
          const int64_t part = (row * 2 + column) * count + block;
          copy_block(from + part * plane + (i * split_.width + j) * kBlock, x);
        }
      }
    }
  }
}

void StridedWinograd::load(const float* weight, const float* bias) {
  const int64_t out = winograd_.out().channels;
  std::vector<float> kernels(static_cast<size_t>(out * 4 * share_ * 9), 0.0F);
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t c = 0; c < in_.channels; ++c) {
      const float* const from = weight + (o * in_.channels + c) * window_.kernel[0] * window_.kernel[1];
      for (int64_t y = 0; y < window_.kernel[0]; ++y) {
        for (int64_t z = 0; z < window_.kernel[1]; ++z) {
          const int64_t part = (y % 2 * 2 + z % 2) * share_ + c;
          kernels[static_cast<size_t>((o * 4 * share_ + part) * 9 + y / 2 * 3 + z / 2)] =
              from[y * window_.kernel[1] + z];
        }
      }
    }
  }
  winograd_.load(kernels.data(), bias);
}

void StridedWinograd::forward(const float* x, float* y, int64_t images, float* scratch) const {
  for (int64_t first = 0; first < images; first += group_) {
    const int64_t count = std::min(group_, images - first);
    for (int64_t i = 0; i < count; ++i) split(x + (first + i) * in_stride_, parts(scratch) + i * split_.size());
    winograd_.forward(parts(scratch), y + first * out().size(), count, scratch);
  }
}

void StridedWinograd::backward_input(const float* dy, float* dx, int64_t images, float* scratch) const {
  for (int64_t first = 0; first < images; first += group_) {
    const int64_t count = std::min(group_, images - first);
    winograd_.backward_input(dy + first * out().size(), parts(scratch), count, scratch);
    for (int64_t i = 0; i < count; ++i) join(parts(scratch) + i * split_.size(), dx + (first + i) * in_stride_);
  }
}

void StridedWinograd::backward_weights(const float* x, const float* dy, int64_t images, float* sums, float* bias_sums,
                                       float* scratch) const {
  for (int64_t first = 0; first < images; first += group_) {
    const int64_t count = std::min(group_, images - first);
    for (int64_t i = 0; i < count; ++i) split(x + (first + i) * in_stride_, parts(scratch) + i * split_.size());
    winograd_.backward_weights(parts(scratch), dy + first * out().size(), count, sums, bias_sums, scratch);
  }
}

void StridedWinograd::finish_gradient(const float* sums, float* dw) const {
  const int64_t out = winograd_.out().channels;
  std::vector<float> kernels(static_cast<size_t>(out * 4 * share_ * 9));
  winograd_.finish_gradient(sums, kernels.data());
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t c = 0; c < in_.channels; ++c) {
      float* const to = dw + (o * in_.channels + c) * window_.kernel[0] * window_.kernel[1];
      for (int64_t y = 0; y < window_.kernel[0]; ++y) {
        for (int64_t z = 0; z < window_.kernel[1]; ++z) {
          const int64_t part = (y % 2 * 2 + z % 2) * share_ + c;
          to[y * window_.kernel[1] + z] = kernels[static_cast<size_t>((o * 4 * share_ + part) * 9 + y / 2 * 3 + z / 2)];
        }
      }
    }
  }
}

}  // namespace arks::engine
