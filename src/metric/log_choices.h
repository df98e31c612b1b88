#pragma once
#include <cmath>
#include <cstdint>

namespace arks {

/// ln of the ways to choose k.
inline double log_choices(int64_t of, int64_t k) {
  const auto log_factorial = [](int64_t number) { return std::lgamma(static_cast<double>(number) + 1); };
  return log_factorial(of) - log_factorial(k) - log_factorial(of - k);
}

}  // namespace arks
