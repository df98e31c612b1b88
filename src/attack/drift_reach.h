#pragma once
#include "data/guard_advice.h"

#include <arks/attack/drift.h>
#include <arks/data/dataset.h>

namespace arks {

/// How far a drift moves these samples, for a guard that should cover it. An input that is multiplied, shifted and
/// noisy moves by m with m² = (√(mean of ((factor − 1)·x + offset)²) + uniform)² + normal²: noise ±a counts as a, noise
/// of deviation a as its root mean square. The length is √(Σ m²), `single` the largest m. Throws Error naming `what`
/// when nothing moves.
GuardReach drift_reach(const DriftOptions& drift, const Dataset& samples, const std::string& what);

}  // namespace arks
