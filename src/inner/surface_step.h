#pragma once
#include <algorithm>
#include <cstdint>

namespace arks {

/// A step with which an ascent from the middle of a ball reaches its surface and can still turn: 2.5·eps/steps (Madry
/// et al. 2018). With eps = 0 nothing moves whatever the step; it must be positive all the same.
inline double surface_step(double eps, int64_t steps) {
  return eps > 0 ? 2.5 * eps / static_cast<double>(std::max<int64_t>(steps, 1)) : 1;
}
/// The same in words, for the help.
constexpr const char* kSurfaceStep = "2.5*eps/steps";

}  // namespace arks
