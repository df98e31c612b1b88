#pragma once
#include <limits>

namespace arks {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// A singular value from LAPACK is exact to a few times 1e-15 of the largest; this keeps it an upper bound.
inline double rounded_up(double norm) {
  return norm * (1 + 1e-9);
}

}  // namespace arks
