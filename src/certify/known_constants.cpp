#include "known_constants.h"
#include "certify/loss_bounds.h"
#include "support/text.h"

#include <arks/problem/supervised.h>
#include <arks/support/error.h>

#include <typeinfo>

namespace arks {

KnownConstants known_constants(const Problem& problem, const Dataset& dataset, const CTransformOptions& options) {
  KnownConstants known;
  known.lipschitz = options.lipschitz();
  known.curvature = options.curvature();
  if (known.lipschitz || known.curvature) {
    if (!known.lipschitz) known.why_no_lipschitz = "none was given";
    if (!known.curvature) known.why_no_curvature = "none was given";
    return known;
  }
  const auto* supervised = dynamic_cast<const SupervisedProblem*>(&problem);
  // a class derived from it may compute another loss
  if (supervised == nullptr || typeid(problem) != typeid(SupervisedProblem)) {
    known.why_no_lipschitz = known.why_no_curvature = "none was given, and a problem without layers has no other";
    return known;
  }
  try {
    const bool log = options.quantity() == Quantity::kLogLoss;
    const auto found = bound_loss(*supervised, dataset.info().input_shape, log);
    known.lipschitz = found.lipschitz;
    known.curvature = found.curvature;
    known.why_no_lipschitz = found.why_no_lipschitz;
    known.why_no_curvature = found.why_no_curvature;
  } catch (const Error& error) {
    known.why_no_lipschitz = known.why_no_curvature = std::string("no bound is known: ") + error.what();
  }
  return known;
}

std::string to_string(const KnownConstants& known) {
  const auto line = [](const char* name, const std::optional<double>& value, const std::string& why) {
    return std::string(name) + (value ? " = " + six_digits(*value) : " unknown (" + why + ")") + "\n";
  };
  return line("Lipschitz constant G", known.lipschitz, known.why_no_lipschitz) +
         line("curvature L", known.curvature, known.why_no_curvature);
}

}  // namespace arks
