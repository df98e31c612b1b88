#include <arks/problem/supervised.h>
#include <arks/support/error.h>

#include <typeinfo>

namespace arks {

SupervisedProblem::SupervisedProblem(Model model, const Criterion& criterion, Engine engine)
    : network_(std::move(model), engine), criterion_(criterion.clone()) {}

SupervisedProblem::SupervisedProblem(engine::Network network, const Criterion& criterion)
    : network_(std::move(network)), criterion_(criterion.clone()) {}

std::unique_ptr<Problem> SupervisedProblem::with_criterion(const Criterion& criterion) {
  ARKS_CHECK(
      typeid(*this) == typeid(SupervisedProblem),
      "with_criterion: a class derived from SupervisedProblem must override it, since it may predict in its own ",
      "way");
  return std::unique_ptr<Problem>(new SupervisedProblem(network_, criterion));
}

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
