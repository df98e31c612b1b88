#include <arks/inner/inner_objective.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

namespace {

double checked_temperature(double temperature) {
  ARKS_CHECK(std::isfinite(temperature) && temperature > 0,
             "inner objective: temperature must be positive and finite, got ", temperature);
  return temperature;
}

}  // namespace

KernelProduct::KernelProduct(double temperature) : temperature_(checked_temperature(temperature)) {}

torch::Tensor KernelProduct::value(const torch::Tensor& loss, const torch::Tensor& cost) const {
  return loss * (cost / -temperature_).exp();
}

InnerObjective::Partials KernelProduct::partials(const torch::Tensor& loss, const torch::Tensor& cost) const {
  const auto kernel = (cost / -temperature_).exp();
  return {kernel, loss * kernel / -temperature_};
}

LogKernelProduct::LogKernelProduct(double temperature) : temperature_(checked_temperature(temperature)) {}

torch::Tensor LogKernelProduct::value(const torch::Tensor& log_loss, const torch::Tensor& cost) const {
  return log_loss - cost / temperature_;
}

InnerObjective::Partials LogKernelProduct::partials(const torch::Tensor& log_loss, const torch::Tensor& cost) const {
  return {torch::ones_like(log_loss), torch::full_like(cost, -1 / temperature_)};
}

LinearPenalty::LinearPenalty(double gamma) : gamma_(gamma) {
  ARKS_CHECK(std::isfinite(gamma) && gamma >= 0, "inner objective: gamma must be finite and not negative, got ", gamma);
}

torch::Tensor LinearPenalty::value(const torch::Tensor& loss, const torch::Tensor& cost) const {
  return loss - gamma_ * cost;
}

InnerObjective::Partials LinearPenalty::partials(const torch::Tensor& loss, const torch::Tensor& cost) const {
  return {torch::ones_like(loss), torch::full_like(cost, -gamma_)};
}

torch::Tensor LossAlone::value(const torch::Tensor& loss, const torch::Tensor& /*cost*/) const {
  return loss;
}

InnerObjective::Partials LossAlone::partials(const torch::Tensor& loss, const torch::Tensor& /*cost*/) const {
  return {torch::ones_like(loss), {}};
}

}  // namespace arks
