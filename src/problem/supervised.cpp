#include <arks/problem/supervised.h>

namespace arks {

SupervisedProblem::SupervisedProblem(Model model, const Criterion& criterion, Engine engine)
    : network_(std::move(model), engine), criterion_(criterion.clone()) {}

torch::Tensor SupervisedProblem::per_sample_loss(const torch::Tensor& u, const torch::Tensor& y) {
  return (*criterion_)(network_(u), y);
}

Evaluation SupervisedProblem::evaluate(const torch::Tensor& u, const torch::Tensor& y, bool with_log_loss) {
  const auto prediction = network_(u);
  auto result = evaluate_prediction(prediction, y);
  if (with_log_loss) result.log_loss = criterion_->log(prediction, y);
  return result;
}

Evaluation SupervisedProblem::evaluate_prediction(const torch::Tensor& prediction, const torch::Tensor& y) {
  Evaluation result;
  result.loss = (*criterion_)(prediction, y);
  result.wrong = criterion_->wrong(prediction.detach(), y);
  return result;
}

}  // namespace arks
