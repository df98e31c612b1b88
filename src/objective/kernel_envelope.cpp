#include "maximized_majorant.h"

#include <arks/objective/kernel_envelope.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

KernelEnvelope::KernelEnvelope(Kernel kernel, KernelEnvelopeOptions options, AscentOptions ascent)
    : kernel_(std::move(kernel)), options_(std::move(options)), ascent_(ascent) {
  check(ascent_);
  check(options_.domain());
  ARKS_CHECK(std::isfinite(options_.gamma()) && options_.gamma() >= 0,
             "kernel envelope: gamma must be finite and not negative, got ", options_.gamma());
  ARKS_CHECK(options_.restarts() > 0, "kernel envelope: restarts must be positive, got ", options_.restarts());
}

std::unique_ptr<Majorant> KernelEnvelope::bind(Problem& problem) const {
  const auto envelope = std::make_shared<KernelDistance>(options_.gamma(), kernel_.temperature());
  MaximizedMajorant::Parts parts;
  parts.domain = options_.domain();
  parts.maximizer = make_maximizer(problem, envelope, kernel_.cost(), ascent_, make_domain(parts.domain));
  parts.surrogate = envelope;
  parts.temperature = kernel_.temperature();
  parts.reports_cost = true;
  parts.restarts = options_.restarts();
  return std::make_unique<MaximizedMajorant>(problem, std::move(parts));
}

}  // namespace arks
