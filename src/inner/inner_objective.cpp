#include <arks/inner/inner_objective.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

namespace {

double checked_temperature(double temperature) {
  ARKS_CHECK(temperature > 0, "inner objective: temperature must be positive, got ", temperature);
  return temperature;
}

double checked_gamma(double gamma) {
  ARKS_CHECK(std::isfinite(gamma) && gamma >= 0, "inner objective: gamma must be finite and not negative, got ", gamma);
  return gamma;
}

}  // namespace

InnerObjective::AtPoint InnerObjective::at(double loss, double cost) const {
  const auto l = torch::full({1}, loss, torch::kDouble), c = torch::full({1}, cost, torch::kDouble);
  const auto slopes = partials(l, c);
  return {value(l, c).item<double>(), slopes.loss.item<double>(),
          slopes.cost.defined() ? slopes.cost.item<double>() : 0};
}

KernelProduct::KernelProduct(double temperature) : temperature_(checked_temperature(temperature)) {}

torch::Tensor KernelProduct::value(const torch::Tensor& loss, const torch::Tensor& cost) const {
  return loss * (cost / -temperature_).exp();
}

InnerObjective::Partials KernelProduct::partials(const torch::Tensor& loss, const torch::Tensor& cost) const {
  const auto kernel = (cost / -temperature_).exp();
  return {kernel, loss * kernel / -temperature_};
}

InnerObjective::AtPoint KernelProduct::at(double loss, double cost) const {
  const double kernel = std::exp(-cost / temperature_);
  return {loss * kernel, kernel, -loss * kernel / temperature_};
}

LogKernelProduct::LogKernelProduct(double temperature) : temperature_(checked_temperature(temperature)) {}

torch::Tensor LogKernelProduct::value(const torch::Tensor& log_loss, const torch::Tensor& cost) const {
  return log_loss - cost / temperature_;
}

InnerObjective::Partials LogKernelProduct::partials(const torch::Tensor& log_loss, const torch::Tensor& cost) const {
  return {torch::ones_like(log_loss), torch::full_like(cost, -1 / temperature_)};
}

InnerObjective::AtPoint LogKernelProduct::at(double loss, double cost) const {
  return {loss - cost / temperature_, 1, -1 / temperature_};
}

LinearPenalty::LinearPenalty(double gamma) : gamma_(checked_gamma(gamma)) {}

torch::Tensor LinearPenalty::value(const torch::Tensor& loss, const torch::Tensor& cost) const {
  return loss - gamma_ * cost;
}

InnerObjective::Partials LinearPenalty::partials(const torch::Tensor& loss, const torch::Tensor& cost) const {
  return {torch::ones_like(loss), torch::full_like(cost, -gamma_)};
}

InnerObjective::AtPoint LinearPenalty::at(double loss, double cost) const {
  return {loss - gamma_ * cost, 1, -gamma_};
}

KernelDistance::KernelDistance(double gamma, double temperature)
    : gamma_(checked_gamma(gamma)), temperature_(checked_temperature(temperature)) {}

torch::Tensor KernelDistance::value(const torch::Tensor& loss, const torch::Tensor& cost) const {
  return loss + gamma_ * (cost / -temperature_).expm1();  // expm1: 1 − k of a small cost keeps its digits
}

InnerObjective::Partials KernelDistance::partials(const torch::Tensor& loss, const torch::Tensor& cost) const {
  return {torch::ones_like(loss), (cost / -temperature_).exp() * (-gamma_ / temperature_)};
}

InnerObjective::AtPoint KernelDistance::at(double loss, double cost) const {
  const double change = std::expm1(-cost / temperature_);
  return {loss + gamma_ * change, 1, (change + 1) * (-gamma_ / temperature_)};
}

torch::Tensor LossAlone::value(const torch::Tensor& loss, const torch::Tensor& /*cost*/) const {
  return loss;
}

InnerObjective::Partials LossAlone::partials(const torch::Tensor& loss, const torch::Tensor& /*cost*/) const {
  return {torch::ones_like(loss), {}};
}

InnerObjective::AtPoint LossAlone::at(double loss, double /*cost*/) const {
  return {loss, 1, 0};
}

}  // namespace arks
