#include <arks/problem/problem.h>
#include <arks/support/error.h>

namespace arks {

Evaluation Problem::evaluate(const torch::Tensor& u, const torch::Tensor& y, bool with_log_loss) {
  Evaluation result;
  result.loss = per_sample_loss(u, y);
  if (with_log_loss) result.log_loss = result.loss.clamp_min(1e-30).log();
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
  auto loss = loss_(u, y);
  ARKS_CHECK(loss.defined(), "function problem: the loss must have shape [", u.size(0),
             "], one value per sample, got nothing");
  ARKS_CHECK(loss.dim() == 1 && loss.size(0) == u.size(0), "function problem: the loss must have shape [", u.size(0),
             "], one value per sample, got ", loss.sizes());
  return loss;
}

}  // namespace arks
