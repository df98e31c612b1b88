#pragma once
#include <arks/problem/criterion.h>

namespace arks {

/// Squared error of predictions and targets, one value per sample:
///   l = Σ_j (p_j − y_j)²,    ln l with a floor of 1e-30 under l.
/// prediction [n] or [n,m], y [n] or [n,m] floating point → [n]; [n] and [n,1] are the same. Targets are converted to
/// the type of the prediction. No factor ½ and no mean over the m outputs, as in the paper.
/// An error that is exactly zero has no logarithm: below the floor ln l is ln 1e-30 ≈ −69.1 with a zero gradient, and
/// so is the gradient of l itself at zero. A sample that is fitted exactly stays where it is in the inner loop.
/// There is no right and wrong. The gradient of l grows with the error without bound, its Hessian is 2·identity; of ln
/// l neither is bounded near zero error.
class SquaredError : public Criterion {
 public:
  torch::Tensor operator()(const torch::Tensor& prediction, const torch::Tensor& y) const override;
  CriterionBounds bounds(bool log) const override;
  std::shared_ptr<Criterion> clone() const override { return std::make_shared<SquaredError>(*this); }
};

}  // namespace arks
