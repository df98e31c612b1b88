#include "maximized_majorant.h"

#include <arks/objective/worst_case.h>
#include <arks/support/error.h>

namespace arks {

WorstCase::WorstCase(WorstCaseOptions options, AscentOptions ascent) : options_(std::move(options)), ascent_(ascent) {
  check(ascent_);
  check(options_.domain());
  ARKS_CHECK(options_.restarts() > 0, "worst case: restarts must be positive, got ", options_.restarts());
}

std::unique_ptr<Majorant> WorstCase::bind(Problem& problem) const {
  const auto loss = std::make_shared<LossAlone>();
  MaximizedMajorant::Parts parts;
  parts.domain = options_.domain();
  parts.maximizer = make_maximizer(problem, loss, nullptr, ascent_, make_domain(parts.domain));
  parts.surrogate = loss;
  parts.restarts = options_.restarts();
  return std::make_unique<MaximizedMajorant>(problem, std::move(parts));
}

}  // namespace arks
