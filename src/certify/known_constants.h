#pragma once
// Where the constants of a proof come from.
#include "certify/c_transform.h"

namespace arks {

/// G and L of a quantity as a function of the input, and why there is none.
struct KnownConstants {
  std::optional<double> lipschitz, curvature;
  std::string why_no_lipschitz, why_no_curvature;  // one line each, empty where there is one
};

/// Those given in the options; when none is, those of the layers of a SupervisedProblem. A model that cannot be bounded
/// is no error here: the reason is in the result.
KnownConstants known_constants(const Problem& problem, const Dataset& dataset, const CTransformOptions& options);

/// Two lines for reports: "Lipschitz constant G = 3.2", "curvature L unknown (…)".
std::string to_string(const KnownConstants& known);

}  // namespace arks
