#include <arks/metric/error.h>

#include "data/batches.h"
#include "metric/group_statistics.h"
#include "problem/state_guard.h"

namespace arks {

std::optional<double> Measured::error() const {
  if (!errors || samples == 0) return std::nullopt;
  return static_cast<double>(*errors) / static_cast<double>(samples);
}

namespace {

/// Rows of one group are alike, so there are fewer to learn from. wrong [n]; groups [n], undefined without any
std::optional<Interval> interval_of(const torch::Tensor& wrong, const torch::Tensor& groups) {
  if (groups.defined()) return group_interval(wrong, groups);
  return fraction_interval(static_cast<double>(wrong.sum().item<int64_t>()), static_cast<double>(wrong.size(0)));
}

}  // namespace

Measured measure(Problem& problem, const Dataset& dataset, int64_t batch_size) {
  torch::NoGradGuard no_grad;
  const ModeGuard eval(problem, /*training=*/false);
  const Batches batches(dataset, batch_size);
  Measured measured;
  double loss = 0;
  std::vector<torch::Tensor> wrong, groups;
  for (int64_t i = 0; i < batches.count(); ++i) {
    const auto batch = batches.get(i);
    const auto evaluation = problem.evaluate(batch.inputs, batch.targets);
    measured.samples += batch.inputs.size(0);
    loss += evaluation.loss.sum(torch::kDouble).item<double>();
    if (evaluation.wrong.defined()) {
      measured.errors = measured.errors.value_or(0) + evaluation.wrong.sum().item<int64_t>();
      wrong.push_back(evaluation.wrong.cpu());
      if (batch.marks.groups.defined()) groups.push_back(batch.marks.groups);
    }
  }
  measured.loss = loss / static_cast<double>(measured.samples);
  if (!wrong.empty()) {
    const bool grouped = groups.size() == wrong.size();
    measured.interval = interval_of(torch::cat(wrong), grouped ? torch::cat(groups) : torch::Tensor());
  }
  return measured;
}

}  // namespace arks
