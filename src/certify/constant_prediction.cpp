#include "certify/constant_prediction.h"

#include "data/guard_advice.h"
#include "data/labels.h"

#include <cmath>

namespace arks {

namespace {

double error_of_most_frequent(const torch::Tensor& all, const torch::Tensor& labels, int64_t classes) {
  const auto most = torch::bincount(all, {}, classes).argmax();
  return (labels != most).to(torch::kDouble).mean().item<double>();
}

}  // namespace

ConstantPrediction constant_prediction(const Dataset& all, const Dataset& samples, const Certificate& certificate) {
  const auto classes = samples.info().num_classes;
  const auto targets_of_all = labels_of(all), targets = labels_of(samples);
  ConstantPrediction found;
  const bool one_class = classes > 0 && targets_of_all.eq(targets_of_all[0]).all().item<bool>();
  if (one_class) return found;
  auto losses = blind_losses(targets, targets_of_all, classes);
  if (certificate.floor) losses = losses.clamp_min(*certificate.floor);
  if (certificate.cap) losses = losses.clamp_max(*certificate.cap);
  if (certificate.quantity == Quantity::kLogLoss) losses = losses.log();
  const double mean = losses.mean().item<double>();
  if (std::isfinite(mean)) found.quantity = mean;
  if (classes > 0) found.error = error_of_most_frequent(targets_of_all, targets, classes);
  return found;
}

}  // namespace arks
