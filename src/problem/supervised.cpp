#include <arks/problem/supervised.h>

#include "support/complaint.h"

#include <arks/support/error.h>
#include <c10/util/Exception.h>

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

torch::Tensor SupervisedProblem::predict(const torch::Tensor& u) {
  try {
    return network_(u);
  } catch (const c10::Error& error) {
    const auto weights = parameters();
    const auto called = "model " + architecture();
    ARKS_CHECK(weights.empty() || weights[0].scalar_type() == u.scalar_type(), called, ": the samples are of type ",
               u.scalar_type(), ", its weights of type ", weights[0].scalar_type(),
               "; convert the samples, x.to(weights.dtype()), or the model, module->to(x.dtype())");
    throw Error(c10::str(called, " fails on samples of shape ", u.sizes().slice(1), ": ", complaint_of(error)));
  }
}

torch::Tensor SupervisedProblem::per_sample_loss(const torch::Tensor& u, const torch::Tensor& y) {
  return checked_losses(predict(u), y);
}

torch::Tensor SupervisedProblem::checked_losses(const torch::Tensor& prediction, const torch::Tensor& y) const {
  const auto loss = (*criterion_)(prediction, y);
  ARKS_CHECK(loss.is_floating_point(), "model ", architecture(), ": per-sample losses must be floating point, ",
             "but its criterion gives type ", loss.scalar_type());
  return loss;
}

Evaluation SupervisedProblem::evaluate(const torch::Tensor& u, const torch::Tensor& y, bool with_log_loss) {
  const auto prediction = predict(u);
  auto result = evaluate_prediction(prediction, y);
  if (with_log_loss) result.log_loss = criterion_->log(prediction, y);
  return result;
}

Evaluation SupervisedProblem::evaluate_prediction(const torch::Tensor& prediction, const torch::Tensor& y) {
  Evaluation result;
  result.loss = checked_losses(prediction, y);
  result.wrong = criterion_->wrong(prediction.detach(), y);
  return result;
}

}  // namespace arks
