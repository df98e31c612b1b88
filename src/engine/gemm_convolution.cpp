#include "engine/gemm_convolution.h"

#include "engine/activation.h"
#include "engine/gemm.h"

#include <algorithm>
#include <cstring>

namespace arks::engine {

namespace {

/// So many rows keep a product busy.
constexpr int64_t kRows = 64;

}  // namespace

GemmConvolution::GemmConvolution(const FeatureMap& in, const FeatureMap& out, const Window& window)
    : in_(in),
      out_(out),
      window_(window),
      depth_(window.kernel[0] * window.kernel[1] * in_blocks(in.channels)),
      to_(in_blocks(out.channels)),
      together_(std::clamp<int64_t>(kRows / out.plane(), 1, 16)),
      forward_(static_cast<size_t>(packed_size(depth_, to_))),
      backward_(static_cast<size_t>(packed_size(to_, depth_))),
      bias_(static_cast<size_t>(to_)) {}

int64_t GemmConvolution::scratch_size() const {
  return together_ * out_.plane() * (depth_ + to_);
}

int64_t GemmConvolution::place(int64_t channel, int64_t tap) const {
  return tap * in_blocks(in_.channels) + channel;
}

template <typename Function>
void GemmConvolution::for_cells(Function f) const {
  for (int64_t cell = 0; cell < out_.plane(); ++cell) {
    const int64_t top = cell / out_.width * window_.stride[0] - window_.padding[0];
    const int64_t left = cell % out_.width * window_.stride[1] - window_.padding[1];
    for (int64_t tap = 0; tap < window_.kernel[0] * window_.kernel[1]; ++tap) {
      const int64_t y = top + tap / window_.kernel[1] * window_.dilation[0];
      const int64_t z = left + tap % window_.kernel[1] * window_.dilation[1];
      if (y < 0 || y >= in_.height || z < 0 || z >= in_.width) continue;
      for (int64_t block = 0; block < blocks(in_.channels); ++block) {
        f((block * in_.plane() + y * in_.width + z) * kBlock, cell * depth_ + place(block * kBlock, tap));
      }
    }
  }
}

void GemmConvolution::gather(const float* x, float* windows) const {
  std::memset(windows, 0, static_cast<size_t>(out_.plane() * depth_) * sizeof(float));
  for_cells([&](int64_t at, int64_t to) { copy_block(x + at, windows + to); });
}

void GemmConvolution::scatter(const float* windows, float* x) const {
  std::memset(x, 0, static_cast<size_t>(in_.size()) * sizeof(float));
  for_cells([&](int64_t at, int64_t from) {
    for (int64_t lane = 0; lane < kBlock; ++lane) x[at + lane] += windows[from + lane];
  });
}

void GemmConvolution::to_rows(const float* map, float* rows) const {
  for (int64_t block = 0; block < blocks(out_.channels); ++block) {
    for (int64_t cell = 0; cell < out_.plane(); ++cell, map += kBlock)
      copy_block(map, rows + cell * to_ + block * kBlock);
  }
}

void GemmConvolution::from_rows(const float* rows, float* map) const {
  for (int64_t block = 0; block < blocks(out_.channels); ++block) {
    for (int64_t cell = 0; cell < out_.plane(); ++cell, map += kBlock)
      copy_block(rows + cell * to_ + block * kBlock, map);
  }
}

void GemmConvolution::load(const float* weight, const float* bias) {
  const int64_t taps = window_.kernel[0] * window_.kernel[1];
  std::vector<float> ordered(static_cast<size_t>(to_ * depth_), 0.0F);
  for (int64_t o = 0; o < out_.channels; ++o) {
    for (int64_t c = 0; c < in_.channels; ++c) {
      for (int64_t tap = 0; tap < taps; ++tap) {
        ordered[static_cast<size_t>(o * depth_ + place(c, tap))] = weight[(o * in_.channels + c) * taps + tap];
      }
    }
  }
  pack(ordered.data(), 1, depth_, depth_, to_, forward_.data());
  pack(ordered.data(), depth_, 1, to_, depth_, backward_.data());
  std::fill(bias_.begin(), bias_.end(), 0.0F);
  if (bias != nullptr) std::copy(bias, bias + out_.channels, bias_.begin());
}

void GemmConvolution::forward(const float* x, float* y, int64_t images, float* scratch) const {
  const int64_t cells = out_.plane();
  for (int64_t first = 0; first < images; first += together_) {
    const int64_t count = std::min(together_, images - first);
    for (int64_t i = 0; i < count; ++i) gather(x + (first + i) * in_.size(), scratch + i * cells * depth_);
    float* const found = rows(scratch);
    for (int64_t row = 0; row < count * cells; ++row) std::copy(bias_.begin(), bias_.end(), found + row * to_);
    GemmLayout layout;
    layout.a_row = depth_;
    layout.b_panel = 16 * depth_;
    layout.c_row = to_;
    gemm(scratch, forward_.data(), found, count * cells, to_, depth_, layout, /*accumulate=*/true);
    for (int64_t i = 0; i < count; ++i) from_rows(found + i * cells * to_, y + (first + i) * out_.size());
  }
}

void GemmConvolution::backward_input(const float* dy, float* dx, int64_t images, float* scratch) const {
  const int64_t cells = out_.plane();
  for (int64_t first = 0; first < images; first += together_) {
    const int64_t count = std::min(together_, images - first);
    float* const given = rows(scratch);
    for (int64_t i = 0; i < count; ++i) to_rows(dy + (first + i) * out_.size(), given + i * cells * to_);
    GemmLayout layout;
    layout.a_row = to_;
    layout.b_panel = 16 * to_;
    layout.c_row = depth_;
    gemm(given, backward_.data(), scratch, count * cells, depth_, to_, layout, /*accumulate=*/false);
    for (int64_t i = 0; i < count; ++i) scatter(scratch + i * cells * depth_, dx + (first + i) * in_.size());
  }
}

void GemmConvolution::backward_weights(const float* x, const float* dy, int64_t images, float* sums, float* bias_sums,
                                       float* scratch) const {
  const int64_t cells = out_.plane();
  for (int64_t first = 0; first < images; first += together_) {
    const int64_t count = std::min(together_, images - first);
    float* const given = rows(scratch);
    for (int64_t i = 0; i < count; ++i) {
      gather(x + (first + i) * in_.size(), scratch + i * cells * depth_);
      to_rows(dy + (first + i) * out_.size(), given + i * cells * to_);
    }
    GemmLayout layout;
    layout.a_row = 1;
    layout.a_col = depth_;
    layout.b_panel = 16;
    layout.b_row = to_;
    layout.c_row = to_;
    gemm(scratch, given, sums, depth_, to_, count * cells, layout, /*accumulate=*/true);
    for (int64_t row = 0; bias_sums != nullptr && row < count * cells; ++row) add(bias_sums, given + row * to_, to_);
  }
}

void GemmConvolution::finish_gradient(const float* sums, float* dw) const {
  const int64_t taps = window_.kernel[0] * window_.kernel[1];
  for (int64_t o = 0; o < out_.channels; ++o) {
    for (int64_t c = 0; c < in_.channels; ++c) {
      for (int64_t tap = 0; tap < taps; ++tap) dw[(o * in_.channels + c) * taps + tap] = sums[place(c, tap) * to_ + o];
    }
  }
}

}  // namespace arks::engine
