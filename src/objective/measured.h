#pragma once
#include "problem/state_guard.h"

#include <arks/inner/ascent.h>
#include <arks/objective/objective.h>

#include <optional>

namespace arks {

/// A look at a problem in the mode of an ascent that is no step of it: no graph is made, and when it goes nothing is
/// left behind, neither a mode nor statistics of batch norm nor a place in the random stream of dropout.
class Look {
 public:
  Look(Problem& problem, InnerMode mode) : mode_(problem, mode == InnerMode::kTrain) {
    if (mode == InnerMode::kTrain) buffers_.emplace(problem);
  }

 private:
  torch::NoGradGuard no_grad_;
  ModeGuard mode_;
  std::optional<BuffersGuard> buffers_;
};

/// The sum of a batch's values, in float64.
double total(const torch::Tensor& values);

/// Loss and errors at the samples themselves, for the metrics; in the mode in which the worst points are looked for.
Evaluation measured_clean(Problem& problem, const Batch& batch, InnerMode mode);

/// Enters them, and how many samples they are, into the sums.
void add_clean(const Evaluation& clean, BatchSums& sums);

}  // namespace arks
