#include <arks/model/normalised.h>

#include "model/far_scale.h"

#include <arks/support/error.h>

namespace arks {

namespace {

/// In float32, as the inputs.
torch::Tensor checked(const torch::Tensor& numbers, const char* what) {
  const auto narrow = numbers.detach().to(torch::kFloat).clone();
  ARKS_CHECK(narrow.numel() > 0 && torch::isfinite(narrow).all().item<bool>(), "normalisation: ", what,
             " must be finite in float32");
  return narrow;
}

torch::Tensor checked_deviation(const torch::Tensor& numbers) {
  const auto deviation = checked(numbers, "std");
  ARKS_CHECK((deviation > 0).all().item<bool>(), "normalisation: std must be positive, got ",
             deviation.min().item<double>());
  return deviation;
}

/// In the type, and never above: constants of the network that are proved divide by its root.
torch::Tensor rounded_down(const torch::Tensor& exact, torch::ScalarType type) {
  const auto nearest = exact.to(type);
  return torch::where(nearest.to(torch::kDouble) > exact, nearest.nextafter(torch::zeros_like(nearest)), nearest);
}

/// [c,1,...,1]
torch::Tensor per_channel(const std::vector<double>& numbers, torch::IntArrayRef sample_shape, const char* what) {
  ARKS_CHECK(!sample_shape.empty(), "normalisation: samples without a dimension have no channels");
  const auto channels = sample_shape[0];
  ARKS_CHECK(numbers.size() == 1 || static_cast<int64_t>(numbers.size()) == channels, "normalisation: ", numbers.size(),
             " numbers for ", what, ", but samples of shape ", sample_shape, " have ", channels,
             sample_shape.size() == 1 ? " features" : " channels", "; give one for each or one for all");
  std::vector<int64_t> shape(sample_shape.size(), 1);
  shape[0] = channels;
  return torch::tensor(numbers, torch::kDouble).expand({channels}).reshape(shape);
}

}  // namespace

NormalisedImpl::NormalisedImpl(Model net, torch::Tensor mean, torch::Tensor deviation)
    : torch::nn::Module("normalised"),
      net_(std::move(net)),
      mean_(checked(mean, "mean")),
      deviation_(checked_deviation(deviation)) {
  ARKS_CHECK(net_.module(), "normalisation: a plain callable has no module to wrap; use arks::normalised");
  if (is_far(mean_, deviation_)) {
    mean_ = mean.detach().to(torch::kDouble).clone();
    deviation_ = deviation.detach().to(torch::kDouble).clone();
  }
  register_module("net", net_.module());
}

torch::Tensor NormalisedImpl::forward(const torch::Tensor& x) {
  const auto scaled = (x - mean_) / deviation_;
  return net_(precise() ? scaled.to(net_.floating_type()) : scaled);
}

Graph NormalisedImpl::graph() const {
  const bool of_channels = mean_.sizes() == deviation_.sizes() && mean_.dim() > 0 && mean_.numel() == mean_.size(0);
  ARKS_CHECK(of_channels, "a normalisation of shape ", mean_.sizes(), " is not supported; one per channel is");
  // certificates put the weights into float64 for a while
  const auto type = net_.floating_type();
  ARKS_CHECK(!precise() || type == torch::kDouble,
             "a normalisation by means of many deviations is computed in float64");
  const auto variance = rounded_down(deviation_.flatten().to(torch::kDouble).square(), type);
  Graph graph{BatchNorm{mean_.flatten().to(type), variance, {}, {}, 0}};
  graph.append(graph_of(net_), graph.output, "net");
  return graph;
}

Model normalised(const Model& net, const torch::Tensor& mean, const torch::Tensor& deviation) {
  if (net.module()) return Model(Normalised(net, mean, deviation)).named(net.architecture());
  auto by = checked_deviation(deviation), shift = checked(mean, "mean");
  const bool precise = is_far(shift, by);
  if (precise) {
    by = deviation.detach().to(torch::kDouble).clone();
    shift = mean.detach().to(torch::kDouble).clone();
  }
  // of a callable without weights nobody knows what it takes: what it is given
  const bool has_type = !net.parameters().empty();
  const auto scaled = [=, type = net.floating_type()](const torch::Tensor& x) {
    const auto inputs = (x - shift) / by;
    return net(precise ? inputs.to(has_type ? type : x.scalar_type()) : inputs);
  };
  return Model(scaled, net.parameters()).named(net.architecture());
}

Model normalised(const Model& net, const std::vector<double>& mean, const std::vector<double>& deviation,
                 torch::IntArrayRef sample_shape) {
  return normalised(net, per_channel(mean, sample_shape, "mean"), per_channel(deviation, sample_shape, "std"));
}

}  // namespace arks
