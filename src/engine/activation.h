#pragma once
#include <cstdint>

namespace arks::engine {

/// A monotone function applied to every number. Each derivative is taken from the result y alone, so the argument need
/// not be kept, and max pooling may come before it: max f(x) = f(max x).
struct Activation {
  enum class Kind {
    kNone,
    kRelu,       ///< y' = 1 for y > 0, else 0
    kElu,        ///< parameter α > 0; y' = 1 for y > 0, else y + α
    kLeakyRelu,  ///< parameter: slope > 0; y' = 1 for y > 0, else the slope
    kTanh,       ///< y' = 1 − y²
    kSigmoid,    ///< y' = y(1 − y)
  };
  Kind kind = Kind::kNone;
  float parameter = 0;

  bool none() const { return kind == Kind::kNone; }
};

/// y ← f(y), n numbers, n a multiple of 8.
void activate(const Activation& activation, float* y, int64_t n);

/// y ← f(y + x).
void add_activate(const Activation& activation, float* y, const float* x, int64_t n);

/// dy ← dy·f'(at y = f(x)).
void activate_backward(const Activation& activation, const float* y, float* dy, int64_t n);

/// y ← y + x.
void add(float* y, const float* x, int64_t n);

}  // namespace arks::engine
