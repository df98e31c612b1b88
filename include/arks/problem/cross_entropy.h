#pragma once
#include <arks/problem/criterion.h>

namespace arks {

/// Cross entropy of logits z [n,classes] and class numbers y [n] (int64), one value per sample:
///   m = ln Σ_{j≠y} exp(z_j) − z_y,     CE = softplus(m) = ln(1 + exp(m)),     ln CE = ln softplus(m).
/// This is −ln softmax(z)_y written so that a confident example keeps its value: in float32 the usual form is exactly 0
/// below about 1e-7 and its logarithm −∞, while here CE falls to 1e-38 and ln CE → m, with the right gradients.
///
/// For all logits both CE and ln CE have ‖∇_z‖₂ ≤ √2 and λmax(∇²_z) ≤ ½. With q = softmax over j ≠ y,
/// ‖∇m‖² = 1 + ‖q‖² ≤ 2, and softplus and ln softplus have slopes in (0,1] (σ(m) ≤ softplus(m)). The Hessian of CE is
/// diag p − ppᵀ, whose rows sum in absolute value to 2p(1−p) ≤ ½ (Gershgorin); ln softplus is concave, so that of ln CE
/// is at most slope·(diag q − qqᵀ) ≤ ½.
class CrossEntropy : public Criterion {
 public:
  torch::Tensor operator()(const torch::Tensor& logits, const torch::Tensor& y) const override;
  torch::Tensor log(const torch::Tensor& logits, const torch::Tensor& y) const override;
  torch::Tensor wrong(const torch::Tensor& logits, const torch::Tensor& y) const override;
  bool judges_classes() const override { return true; }
  CriterionBounds bounds(bool log) const override;
  std::shared_ptr<Criterion> clone() const override { return std::make_shared<CrossEntropy>(*this); }
};

}  // namespace arks
