#pragma once
#include <arks/problem/criterion.h>

namespace arks {

/// Cross entropy of logits z [n,classes] and class numbers y [n] (int64), one value per sample:
///   m = ln Σ_{j≠y} exp(z_j) − z_y,     CE = softplus(m) = ln(1 + exp(m)),     ln CE = ln softplus(m).
/// This is −ln softmax(z)_y written so that a confident example keeps its value: in float32 the usual form is exactly 0
/// below about 1e-7 and its logarithm −∞, while here CE falls to 1e-38 and ln CE → m, with the right gradients.
/// ‖∇_z ln CE‖₂ ≤ √2 for all logits.
class CrossEntropy : public Criterion {
 public:
  torch::Tensor operator()(const torch::Tensor& logits, const torch::Tensor& y) const override;
  torch::Tensor log(const torch::Tensor& logits, const torch::Tensor& y) const override;
  torch::Tensor wrong(const torch::Tensor& logits, const torch::Tensor& y) const override;
  std::shared_ptr<Criterion> clone() const override { return std::make_shared<CrossEntropy>(*this); }
};

}  // namespace arks
