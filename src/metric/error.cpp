#include <arks/metric/error.h>

#include "data/batches.h"
#include "problem/state_guard.h"

namespace arks {

std::optional<double> Measured::error() const {
  if (!errors || samples == 0) return std::nullopt;
  return static_cast<double>(*errors) / static_cast<double>(samples);
}

Measured measure(Problem& problem, const Dataset& dataset, int64_t batch_size) {
  torch::NoGradGuard no_grad;
  const ModeGuard eval(problem, /*training=*/false);
  const Batches batches(dataset, batch_size);
  Measured measured;
  double loss = 0;
  for (int64_t i = 0; i < batches.count(); ++i) {
    const auto batch = batches.get(i);
    const auto evaluation = problem.evaluate(batch.inputs, batch.targets);
    measured.samples += batch.inputs.size(0);
    loss += evaluation.loss.sum(torch::kDouble).item<double>();
    if (evaluation.wrong.defined()) {
      measured.errors = measured.errors.value_or(0) + evaluation.wrong.sum().item<int64_t>();
    }
  }
  measured.loss = loss / static_cast<double>(measured.samples);
  return measured;
}

}  // namespace arks
