#include "measured.h"

namespace arks {

double total(const torch::Tensor& values) {
  return values.detach().sum(torch::kDouble).item<double>();
}

Evaluation measured_clean(Problem& problem, const Batch& batch, InnerMode mode) {
  const Look look(problem, mode);
  return problem.evaluate(batch.inputs, batch.targets);
}

void add_clean(const Evaluation& clean, BatchSums& sums) {
  sums.samples = clean.loss.size(0);
  sums.loss = total(clean.loss);
  if (clean.wrong.defined()) sums.wrong = clean.wrong.sum().item<double>();
}

}  // namespace arks
