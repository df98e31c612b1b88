#include "attained_curve.h"

#include <algorithm>
#include <limits>

namespace arks {

double attained_within(const std::vector<AttainedPoint>& points, double rho) {
  double best = -std::numeric_limits<double>::infinity();
  for (const auto& near : points) {
    if (near.rho > rho) break;
    best = std::max(best, near.value);
    for (const auto& far : points) {
      if (far.rho <= rho) continue;
      const double share = (rho - near.rho) / (far.rho - near.rho);
      best = std::max(best, near.value + share * (far.value - near.value));
    }
  }
  return best;
}

}  // namespace arks
