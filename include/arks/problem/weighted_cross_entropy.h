#pragma once
#include <arks/problem/cross_entropy.h>

#include <vector>

namespace arks {

/// w_y · CE(z, y): errors on some classes cost more than on others. One weight > 0 for each class; all 1 is
/// CrossEntropy.
class WeightedCrossEntropy : public CrossEntropy {
 public:
  explicit WeightedCrossEntropy(std::vector<double> weights);

  torch::Tensor operator()(const torch::Tensor& logits, const torch::Tensor& y) const override;
  torch::Tensor log(const torch::Tensor& logits, const torch::Tensor& y) const override;
  std::shared_ptr<Criterion> clone() const override { return std::make_shared<WeightedCrossEntropy>(*this); }

  const std::vector<double>& weights() const { return weights_; }

 private:
  torch::Tensor weights_of(const torch::Tensor& logits, const torch::Tensor& y) const;
  std::vector<double> weights_;
};

/// n/(c·n_k) for each of c classes with n_k of the n labels, as if all were as frequent; 1 for a class without samples.
std::vector<double> balanced_weights(const torch::Tensor& labels, int64_t classes);

}  // namespace arks
