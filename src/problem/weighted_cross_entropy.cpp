#include <arks/problem/weighted_cross_entropy.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

WeightedCrossEntropy::WeightedCrossEntropy(std::vector<double> weights) : weights_(std::move(weights)) {
  for (const double weight : weights_) {
    ARKS_CHECK(std::isfinite(weight) && weight > 0, "class weights must be finite and positive, got ", weight);
  }
}

torch::Tensor WeightedCrossEntropy::weights_of(const torch::Tensor& logits, const torch::Tensor& y) const {
  ARKS_CHECK(logits.size(1) == static_cast<int64_t>(weights_.size()), "class weights: there are ", logits.size(1),
             " classes and ", weights_.size(), " weights");
  return torch::tensor(weights_, logits.options().requires_grad(false)).index_select(0, y);
}

torch::Tensor WeightedCrossEntropy::operator()(const torch::Tensor& logits, const torch::Tensor& y) const {
  const auto loss = CrossEntropy::operator()(logits, y);  // checks them
  return loss * weights_of(logits, y);
}

torch::Tensor WeightedCrossEntropy::log(const torch::Tensor& logits, const torch::Tensor& y) const {
  const auto loss = CrossEntropy::log(logits, y);
  return loss + weights_of(logits, y).log();
}

std::vector<double> balanced_weights(const torch::Tensor& labels, int64_t classes) {
  const auto counts = torch::bincount(labels, {}, classes);
  std::vector<double> weights;
  for (int64_t i = 0; i < classes; ++i) {
    const auto count = counts[i].item<double>();
    weights.push_back(count > 0 ? static_cast<double>(labels.size(0)) / (static_cast<double>(classes) * count) : 1);
  }
  return weights;
}

}  // namespace arks
