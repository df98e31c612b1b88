#pragma once
#include <cstdint>

namespace arks::engine {

inline constexpr int64_t kLine = 16;  // floats of a cache line

/// So many floats that what comes behind them begins a line.
inline int64_t whole_lines(int64_t floats) {
  return (floats + kLine - 1) / kLine * kLine;
}

/// The first float of a line at or behind a place in memory.
inline float* line_start(float* memory) {
  constexpr uintptr_t kBytes = kLine * sizeof(float);
  return reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(memory) + kBytes - 1) / kBytes * kBytes);
}

}  // namespace arks::engine
