#pragma once
#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

namespace arks {

/// A transport cost c(u,x) ≥ 0 with c(x,x) = 0, one value per pair: u, x [n,...] → [n]. Never the n×n matrix.
class Cost {
 public:
  virtual ~Cost() = default;
  virtual torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const = 0;
  /// The name a user types after --cost.
  virtual std::string name() const = 0;
};

using CostPtr = std::shared_ptr<const Cost>;

/// c = ½‖u−x‖₂²: the cost behind the Gaussian kernel. "half-sq-l2"
class HalfSquaredL2 : public Cost {
 public:
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override;
  std::string name() const override { return "half-sq-l2"; }
};

/// c = ‖u−x‖₂²: the cost of WRM (Sinha et al. 2017), type-2 Wasserstein. "sq-l2"
class SquaredL2 : public Cost {
 public:
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override;
  std::string name() const override { return "sq-l2"; }
};

/// c = ‖u−x‖₂, type-1 Wasserstein. Its gradient at u = x is taken as zero (a subgradient), not NaN. "l2"
class L2 : public Cost {
 public:
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override;
  std::string name() const override { return "l2"; }
};

/// c = ‖u−x‖₁; the gradient of a coordinate that has not moved is zero. "l1"
class L1 : public Cost {
 public:
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override;
  std::string name() const override { return "l1"; }
};

/// The cost of that name; throws Error with the nearest name when there is none.
CostPtr make_cost(const std::string& name);
std::vector<std::string> cost_names();

}  // namespace arks
