#pragma once
#include <arks/objective/objective.h>

namespace arks {

/// The sum of a batch's values, in float64.
double total(const torch::Tensor& values);

/// Loss and errors at the samples themselves, for the metrics: in evaluation mode, without a graph.
Evaluation measured_clean(Problem& problem, const Batch& batch);

/// Enters them, and how many samples they are, into the sums.
void add_clean(const Evaluation& clean, BatchSums& sums);

}  // namespace arks
