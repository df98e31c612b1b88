#pragma once
#include "engine/activation.h"
#include "engine/feature_map.h"

#include <array>

namespace arks::engine {

/// A window that moves over a map.
struct Pooling {
  std::array<int64_t, 2> kernel{2, 2}, stride{2, 2}, padding{0, 0};

  /// Windows of more cells than a byte can tell apart are not pooled here.
  bool fits_byte() const { return kernel[0] * kernel[1] <= 255; }
  FeatureMap out(const FeatureMap& in) const;
};

/// One image: y = f(largest of each window of x), and which cell it was, counted row by row: the first of equal ones,
/// as libtorch has it. What is padded never wins. x [in.size()] → y, winner [pooling.out(in).size()].
void max_pool(const Pooling& pooling, const FeatureMap& in, const Activation& f, const float* x, float* y,
              uint8_t* winner);

/// The gradient of each window goes to its winner: dy [out], winner [out] → dx [in], overwritten.
void max_unpool(const Pooling& pooling, const FeatureMap& in, const float* dy, const uint8_t* winner, float* dx);

/// Mean of each window, padded zeros counted; and the gradient. One image each.
void average_pool(const Pooling& pooling, const FeatureMap& in, const float* x, float* y);
void average_unpool(const Pooling& pooling, const FeatureMap& in, const float* dy, float* dx);

}  // namespace arks::engine
