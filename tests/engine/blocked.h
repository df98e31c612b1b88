#pragma once
// What the tests of the kernels share: maps into blocks and back, a buffer that is aligned, errors against float64.
#include "engine/feature_map.h"
#include "support/testing.h"

#include <cstdint>
#include <vector>

namespace arks::engine {

/// [n,c,h,w] → float32 [n,c/8,h,w,8], filled up with zeros.
inline torch::Tensor to_blocked(const torch::Tensor& maps) {
  const int64_t n = maps.size(0), c = maps.size(1), h = maps.size(2), w = maps.size(3);
  auto filled = torch::zeros({n, blocks(c) * kBlock, h, w}, torch::kFloat);
  filled.narrow(1, 0, c).copy_(maps);
  return filled.view({n, blocks(c), kBlock, h, w}).permute({0, 1, 3, 4, 2}).contiguous();
}

/// [n,c/8,h,w,8] → float64 [n,c,h,w]; the channels that fill up must be zero.
inline torch::Tensor from_blocked(const torch::Tensor& maps, int64_t channels) {
  const int64_t n = maps.size(0), h = maps.size(2), w = maps.size(3);
  const auto all = maps.permute({0, 1, 4, 2, 3}).reshape({n, maps.size(1) * kBlock, h, w}).to(torch::kDouble);
  EXPECT_EQ(all.narrow(1, channels, all.size(1) - channels).abs().sum().item<double>(), 0.0);
  return all.narrow(1, 0, channels);
}

/// An output buffer for n maps: full of NaN, so that what is not written shows.
inline torch::Tensor blocked_buffer(int64_t n, const FeatureMap& map) {
  return torch::full({n, blocks(map.channels), map.height, map.width, kBlock}, std::nanf(""), torch::kFloat);
}

/// Scratch of so many floats, aligned to 64 bytes, full of NaN, with a guard behind it.
class Scratch {
 public:
  explicit Scratch(int64_t size) : size_(size), memory_(size + 32, std::nanf("")) {
    for (int64_t i = 0; i < 16; ++i) data()[size_ + i] = kGuard;
  }
  ~Scratch() {
    for (int64_t i = 0; i < 16; ++i) EXPECT_EQ(data()[size_ + i], kGuard) << "written behind the scratch";
  }
  float* data() {
    const auto address = reinterpret_cast<uintptr_t>(memory_.data());
    return memory_.data() + ((64 - address % 64) % 64) / sizeof(float);
  }

 private:
  static constexpr float kGuard = 12345.0f;
  int64_t size_;
  std::vector<float> memory_;
};

/// Largest difference over the largest of the reference.
inline double relative_error(const torch::Tensor& value, const torch::Tensor& reference) {
  return testing::max_difference(value.to(torch::kDouble), reference) / reference.abs().max().item<double>();
}

/// Standard normal numbers that float32 holds exactly, in float64.
inline torch::Tensor normal_floats(std::vector<int64_t> shape, uint64_t seed) {
  return testing::normal(std::move(shape), seed).to(torch::kFloat).to(torch::kDouble);
}

}  // namespace arks::engine
