#include "maximized_majorant.h"

#include "measured.h"
#include "support/text.h"

namespace arks {

InnerResult MaximizedMajorant::maximize(const Batch& batch, torch::Generator& generator) {
  if (parts_.domain) check_within(*parts_.domain, batch.inputs, "inputs");
  const auto start = parts_.start ? parts_.start(batch.inputs, generator) : torch::Tensor();
  auto best = parts_.maximizer->maximize(batch.inputs, batch.targets, start);
  const auto domain = make_domain(parts_.domain);
  for (int64_t restart = 1; restart < parts_.restarts; ++restart) {
    const auto anywhere = domain->random_point(batch.inputs, generator);
    best.take_better(parts_.maximizer->maximize(batch.inputs, batch.targets, anywhere));
  }
  return best;
}

WorstPoints MaximizedMajorant::find(const Batch& batch, torch::Generator& generator) {
  const auto inner = maximize(batch, generator);
  WorstPoints points{inner.u, inner.costs, {}};
  if (parts_.start) {
    points.clean = measured_clean(problem_, batch, parts_.mode);
  } else {  // the first pass of the ascent was there
    points.clean.loss = inner.start_losses;
    points.clean.wrong = inner.start_wrong;
  }
  return points;
}

MajorantValue MaximizedMajorant::value(const Batch& batch, const WorstPoints& points) {
  const auto loss = problem_.per_sample_loss(points.u, batch.targets);
  const auto surrogate = parts_.surrogate->value(loss, points.costs);
  MajorantValue result;
  result.value = surrogate.mean();
  add_clean(points.clean, result.sums);
  result.sums.surrogate = total(surrogate);
  result.sums.adversarial_loss = total(loss);
  if (parts_.temperature) result.sums.kernel = total((points.costs / -*parts_.temperature).exp());
  if (parts_.reports_cost) result.sums.cost = total(points.costs);
  result.adversarial = points.u;
  return result;
}

std::string remedy_of(const AscentOptions& ascent, const std::string& method) {
  if (ascent.returned() == InnerReturn::kBest) return method;
  return c10::str("shorter inner steps (inner-lr, now ", shortest(ascent.learning_rate()), "), ", method);
}

}  // namespace arks
