#include "inner/landscape.h"

#include <arks/support/error.h>
#include <torch/autograd.h>

namespace arks {

Landscape::Landscape(Problem& problem, InnerObjectivePtr objective, CostPtr cost)
    : problem_(problem), objective_(std::move(objective)), cost_(std::move(cost)) {}

Landscape::Point Landscape::evaluate(const torch::Tensor& u, const torch::Tensor& x, const torch::Tensor& y) {
  Point point;
  point.evaluation = problem_.evaluate(u, y, objective_->takes_log_loss());
  point.cost = cost_ ? (*cost_)(u, x) : torch::zeros({x.size(0)}, x.options());
  torch::NoGradGuard no_grad;
  point.value = objective_->value(loss_argument(point), point.cost).detach();  // it may be the loss itself
  return point;
}

InnerObjective::Partials Landscape::partials(const Point& point) const {
  torch::NoGradGuard no_grad;
  return objective_->partials(loss_argument(point), point.cost);
}

torch::Tensor Landscape::gradient(const torch::Tensor& u, const Point& point,
                                  const InnerObjective::Partials& partials) const {
  const auto& loss = loss_argument(point);
  std::vector<torch::Tensor> outputs, weights;
  // a loss that does not depend on u has no graph, and a zero gradient
  if (loss.requires_grad()) {
    outputs.push_back(loss);
    weights.push_back(partials.loss);
  }
  if (partials.cost.defined() && point.cost.requires_grad()) {
    outputs.push_back(point.cost);
    weights.push_back(partials.cost);
  }
  if (outputs.empty()) return torch::zeros_like(u);
  auto found = torch::autograd::grad(outputs, {u}, weights, /*retain_graph=*/false, /*create_graph=*/false,
                                     /*allow_unused=*/true)[0];
  return found.defined() ? found : torch::zeros_like(u);
}

torch::Tensor Landscape::term_sizes(const Point& point, const InnerObjective::Partials& partials) const {
  torch::NoGradGuard no_grad;
  auto loss = loss_argument(point).abs();
  if (objective_->takes_log_loss()) loss = loss.clamp_min(1);  // l rounds relatively, so ln l does absolutely
  auto sizes = point.value.abs() + partials.loss.abs() * loss;
  return partials.cost.defined() ? sizes.addcmul_(partials.cost.abs(), point.cost) : sizes;
}

torch::Tensor checked_start(const torch::Tensor& x, const torch::Tensor& start) {
  ARKS_CHECK(x.dim() >= 1 && x.numel() > 0, "inner maximisation: the batch is empty");
  ARKS_CHECK(x.is_floating_point(), "inner maximisation: the inputs must be floating point, got ", x.scalar_type());
  ARKS_CHECK(!start.defined() || start.sizes() == x.sizes(), "inner maximisation: the start has shape ", start.sizes(),
             ", but the batch has ", x.sizes());
  return (start.defined() ? start : x).detach().clone();
}

}  // namespace arks
