#pragma once
#include <cstdint>
#include <cstring>

namespace arks::engine {

/// Channels lie in blocks of eight, the width of an AVX2 register of float32.
constexpr int64_t kBlock = 8;

constexpr int64_t blocks(int64_t channels) {
  return (channels + kBlock - 1) / kBlock;
}

/// Floats of so many channels in whole blocks.
constexpr int64_t in_blocks(int64_t channels) {
  return blocks(channels) * kBlock;
}

inline void copy_block(const float* from, float* to) {
  std::memcpy(to, from, kBlock * sizeof(float));
}

/// The shape of what one sample is between two layers. In memory it is blocked, [channels/8][height][width][8], with
/// zeros in the channels that fill up the last block; a vector of features is a map of 1×1.
struct FeatureMap {
  int64_t channels = 0, height = 1, width = 1;

  int64_t plane() const { return height * width; }
  /// Numbers of one sample, padding included.
  int64_t size() const { return blocks(channels) * plane() * kBlock; }
  bool operator==(const FeatureMap& other) const {
    return channels == other.channels && height == other.height && width == other.width;
  }
  bool operator!=(const FeatureMap& other) const { return !(*this == other); }
};

}  // namespace arks::engine
