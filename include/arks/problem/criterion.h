#pragma once
#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>

namespace arks {

/// What is proved of a criterion as a function of the prediction z of one sample, for every z and every y.
struct CriterionBounds {
  std::optional<double> lipschitz;  // ‖∇_z‖₂ ≤ this
  std::optional<double> curvature;  // largest eigenvalue of ∇²_z ≤ this; ≥ 0
  std::string why_no_lipschitz;     // said when there is none
  std::string why_no_curvature;
};

/// Compares predictions with targets, one loss per sample.
class Criterion {
 public:
  virtual ~Criterion() = default;

  /// prediction [n,...], y [n,...] → losses [n].
  virtual torch::Tensor operator()(const torch::Tensor& prediction, const torch::Tensor& y) const = 0;

  /// ln of the loss, [n]. The default takes the logarithm with a floor of 1e-30, and throws Error for a negative loss;
  /// a criterion whose logarithm can be computed without cancellation overrides it.
  virtual torch::Tensor log(const torch::Tensor& prediction, const torch::Tensor& y) const;

  /// [n] bool, which predictions count as wrong; undefined for a criterion without right and wrong.
  virtual torch::Tensor wrong(const torch::Tensor& prediction, const torch::Tensor& y) const;

  /// True when predictions are logits [n,classes] and targets class numbers [n].
  virtual bool judges_classes() const { return false; }

  /// For certificates: bounds of the loss, or of its logarithm. The default knows none.
  virtual CriterionBounds bounds(bool log) const;

  virtual std::shared_ptr<Criterion> clone() const = 0;
};

}  // namespace arks
