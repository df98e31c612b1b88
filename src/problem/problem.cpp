#include <arks/problem/problem.h>

#include "problem/log_of_losses.h"
#include "support/complaint.h"

#include <arks/support/error.h>
#include <c10/util/Exception.h>

namespace arks {

Evaluation Problem::evaluate(const torch::Tensor& u, const torch::Tensor& y, bool with_log_loss) {
  Evaluation result;
  result.loss = per_sample_loss(u, y);
  if (with_log_loss) result.log_loss = log_of_losses(result.loss);
  return result;
}

torch::Tensor Problem::predict(const torch::Tensor& /*u*/) {
  throw Error("this problem has a loss but no model whose predictions could be used");
}

Evaluation Problem::evaluate_prediction(const torch::Tensor& /*prediction*/, const torch::Tensor& /*y*/) {
  throw Error("this problem has a loss but no model whose predictions could be used");
}

std::unique_ptr<Problem> Problem::with_criterion(const Criterion& /*criterion*/) {
  throw Error("this problem has a loss but no model whose predictions could be judged by another criterion");
}

NamedTensors Problem::state() {
  NamedTensors named;
  for (const auto& parameter : parameters()) named.emplace_back(c10::str("parameter", named.size()), parameter);
  return named;
}

FunctionProblem::FunctionProblem(Function loss, std::vector<torch::Tensor> parameters)
    : loss_(std::move(loss)), parameters_(std::move(parameters)) {
  ARKS_CHECK(loss_, "function problem: the loss is an empty function");
}

torch::Tensor FunctionProblem::per_sample_loss(const torch::Tensor& u, const torch::Tensor& y) {
  torch::Tensor loss;
  try {
    loss = loss_(u, y);
  } catch (const c10::Error& error) {
    throw Error(c10::str("function problem: the loss cannot be computed for inputs of shape ", u.sizes(), " and type ",
                         u.scalar_type(), ": ", complaint_of(error)));
  }
  ARKS_CHECK(loss.defined(), "function problem: the loss must have shape [", u.size(0),
             "], one value per sample, got nothing");
  ARKS_CHECK(loss.is_floating_point(), "function problem: per-sample losses must be floating point, got type ",
             loss.scalar_type());
  ARKS_CHECK(loss.dim() == 1 && loss.size(0) == u.size(0), "function problem: the loss must have shape [", u.size(0),
             "], one value per sample, got ", loss.sizes());
  return loss;
}

}  // namespace arks
