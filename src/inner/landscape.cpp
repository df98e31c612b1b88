#include "inner/landscape.h"

#include "support/complaint.h"

#include <arks/support/error.h>
#include <torch/autograd.h>

namespace arks {

namespace {

constexpr const char* kDetached =
    "inner maximisation: no gradient of the loss comes back to the input (detach, argmax, no_grad or a copy inside?), "
    "so no worse input can be found";

}  // namespace

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
  // parameters are frozen here: without a graph the loss does not know u
  ARKS_CHECK(loss.requires_grad(), kDetached);
  outputs.push_back(loss);
  weights.push_back(partials.loss);
  if (partials.cost.defined() && point.cost.requires_grad()) {
    outputs.push_back(point.cost);
    weights.push_back(partials.cost);
  }
  torch::Tensor found;
  try {
    found = torch::autograd::grad(outputs, {u}, weights, /*retain_graph=*/false, /*create_graph=*/false,
                                  /*allow_unused=*/true)[0];
  } catch (const c10::Error& error) {
    throw Error("inner maximisation: the loss cannot be differentiated in its input: " + complaint_of(error));
  }
  ARKS_CHECK(found.defined(), kDetached);
  return found;
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
