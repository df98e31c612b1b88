#include "certify/constant_prediction.h"

#include "data/labels.h"

#include <cmath>

namespace arks {

namespace {

/// Cross entropy of the class frequencies; undefined where there is one class only.
torch::Tensor losses_of_frequencies(const torch::Tensor& all, const torch::Tensor& labels, int64_t classes) {
  const auto counts = torch::bincount(all, {}, classes).to(torch::kDouble);
  if (counts.count_nonzero().item<int64_t>() < 2) return {};
  return -(counts / counts.sum()).log().index_select(0, labels);
}

torch::Tensor losses_of_mean(const torch::Tensor& all, const torch::Tensor& targets) {
  const auto mean = all.to(torch::kDouble).reshape({all.size(0), -1}).mean(0);
  return (targets.to(torch::kDouble).reshape({targets.size(0), -1}) - mean).square().sum(1);
}

double error_of_most_frequent(const torch::Tensor& all, const torch::Tensor& labels, int64_t classes) {
  const auto most = torch::bincount(all, {}, classes).argmax();
  return (labels != most).to(torch::kDouble).mean().item<double>();
}

}  // namespace

ConstantPrediction constant_prediction(const Dataset& all, const Dataset& samples, const Certificate& certificate) {
  const auto classes = samples.info().num_classes;
  const auto targets_of_all = labels_of(all), targets = labels_of(samples);
  ConstantPrediction found;
  auto losses =
      classes > 0 ? losses_of_frequencies(targets_of_all, targets, classes) : losses_of_mean(targets_of_all, targets);
  if (!losses.defined()) return found;
  if (certificate.floor) losses = losses.clamp_min(*certificate.floor);
  if (certificate.cap) losses = losses.clamp_max(*certificate.cap);
  if (certificate.quantity == Quantity::kLogLoss) losses = losses.log();
  const double mean = losses.mean().item<double>();
  if (std::isfinite(mean)) found.quantity = mean;
  if (classes > 0) found.error = error_of_most_frequent(targets_of_all, targets, classes);
  return found;
}

}  // namespace arks
