#pragma once
#include <torch/types.h>

#include <memory>

namespace arks {

/// Compares predictions with targets, one loss per sample.
class Criterion {
 public:
  virtual ~Criterion() = default;

  /// prediction [n,...], y [n,...] → losses [n].
  virtual torch::Tensor operator()(const torch::Tensor& prediction, const torch::Tensor& y) const = 0;

  /// ln of the loss, [n]. The default takes the logarithm with a floor of 1e-30; a criterion whose logarithm can be
  /// computed without cancellation overrides it.
  virtual torch::Tensor log(const torch::Tensor& prediction, const torch::Tensor& y) const;

  /// [n] bool, which predictions count as wrong; undefined for a criterion without right and wrong.
  virtual torch::Tensor wrong(const torch::Tensor& prediction, const torch::Tensor& y) const;

  virtual std::shared_ptr<Criterion> clone() const = 0;
};

}  // namespace arks
