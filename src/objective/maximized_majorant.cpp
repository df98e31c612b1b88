#include "maximized_majorant.h"

#include <arks/problem/state_guard.h>

namespace arks {

namespace {

double total(const torch::Tensor& values) {
  return values.detach().sum(torch::kDouble).item<double>();
}

}  // namespace

InnerResult MaximizedMajorant::maximize(const Batch& batch, torch::Generator& generator) {
  if (parts_.domain) check_within(*parts_.domain, batch.inputs, "inputs (--domain)");
  const auto start = parts_.random_start ? parts_.random_start->random_point(batch.inputs, generator) : torch::Tensor();
  auto best = parts_.maximizer->maximize(batch.inputs, batch.targets, start);
  const auto domain = make_domain(parts_.domain);
  for (int64_t restart = 1; restart < parts_.restarts; ++restart) {
    const auto anywhere = domain->random_point(batch.inputs, generator);
    best.take_better(parts_.maximizer->maximize(batch.inputs, batch.targets, anywhere));
  }
  return best;
}

MajorantValue MaximizedMajorant::operator()(const Batch& batch, torch::Generator& generator) {
  const auto inner = maximize(batch, generator);
  const auto loss = problem_.per_sample_loss(inner.u, batch.targets);
  const auto surrogate = parts_.surrogate->value(loss, inner.costs);
  MajorantValue result;
  result.value = surrogate.mean();
  result.sums.samples = batch.inputs.size(0);
  result.sums.surrogate = total(surrogate);
  result.sums.adversarial_loss = total(loss);
  if (parts_.temperature) result.sums.kernel = total((inner.costs / -*parts_.temperature).exp());
  if (parts_.reports_cost) result.sums.cost = total(inner.costs);
  add_clean(batch, inner, result.sums);
  result.adversarial = inner.u;
  return result;
}

void MaximizedMajorant::add_clean(const Batch& batch, const InnerResult& inner, BatchSums& sums) {
  Evaluation clean;
  clean.loss = inner.start_losses;
  clean.wrong = inner.start_wrong;
  if (parts_.random_start) {
    torch::NoGradGuard no_grad;
    const ModeGuard eval(problem_, /*training=*/false);
    clean = problem_.evaluate(batch.inputs, batch.targets);
  }
  sums.loss = total(clean.loss);
  if (clean.wrong.defined()) sums.wrong = clean.wrong.sum().item<double>();
}

}  // namespace arks
