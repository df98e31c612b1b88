#include <arks/model/rescaled.h>

#include "model/far_scale.h"

#include <arks/support/error.h>

namespace arks {

namespace {

torch::Tensor checked_scale(const torch::Tensor& numbers, const char* what) {
  const auto exact = numbers.detach().to(torch::kDouble).flatten().clone();
  ARKS_CHECK(exact.numel() > 0 && torch::isfinite(exact).all().item<bool>(), "scale of the outputs: ", what,
             " must be finite");
  return exact;
}

torch::Tensor checked_factor(const torch::Tensor& numbers) {
  const auto deviation = checked_scale(numbers, "deviation");
  ARKS_CHECK((deviation > 0).all().item<bool>(), "scale of the outputs: deviation must be positive, got ",
             deviation.min().item<double>());
  return deviation;
}

torch::Tensor on_scale(const torch::Tensor& y, const torch::Tensor& mean, const torch::Tensor& deviation,
                       bool precise) {
  const auto type = precise ? torch::kDouble : y.scalar_type();
  return y.to(type) * deviation.to(type) + mean.to(type);
}

}  // namespace

RescaledImpl::RescaledImpl(Model net, torch::Tensor mean, torch::Tensor deviation)
    : torch::nn::Module("rescaled"),
      net_(std::move(net)),
      mean_(checked_scale(mean, "mean")),
      deviation_(checked_factor(deviation)),
      precise_(is_far(mean_, deviation_)) {
  ARKS_CHECK(net_.module(), "scale of the outputs: a plain callable has no module to wrap; use arks::rescaled");
  register_module("net", net_.module());
}

torch::Tensor RescaledImpl::forward(const torch::Tensor& x) {
  return on_scale(net_(x), mean_, deviation_, precise_);
}

Graph RescaledImpl::graph() const {
  Graph graph;
  graph.append(graph_of(net_), graph.output, "net");
  const auto type = net_.floating_type();  // certificates put the weights into float64 for a while
  ARKS_CHECK(!precise() || type == torch::kDouble, "a scale of outputs by means of many deviations is computed in ",
             "float64");
  graph.then(Dense{torch::diag(deviation_).to(type), mean_.to(type)});
  return graph;
}

Model rescaled(const Model& net, const torch::Tensor& mean, const torch::Tensor& deviation) {
  if (net.module()) return Model(Rescaled(net, mean, deviation)).named(net.architecture());
  const auto shift = checked_scale(mean, "mean"), by = checked_factor(deviation);
  const bool precise = is_far(shift, by);
  return Model([net, shift, by, precise](const torch::Tensor& x) { return on_scale(net(x), shift, by, precise); },
               net.parameters())
      .named(net.architecture());
}

}  // namespace arks
