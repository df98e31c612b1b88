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

  /// Every sample of a with every sample of b, [m,...] and [n,...] → [m,n], without a graph: for MMD and interpolation.
  virtual torch::Tensor pairwise(const torch::Tensor& a, const torch::Tensor& b) const = 0;

  /// The name a user types after --cost.
  virtual std::string name() const = 0;

  /// True when the cost grows so slowly that exp(−c) does not outweigh an unbounded loss: the supremum over all of
  /// space may then be infinite, and a compact domain has to be declared.
  virtual bool needs_domain() const { return false; }
};

using CostPtr = std::shared_ptr<const Cost>;

/// c = ½‖u−x‖₂²: the cost behind the Gaussian kernel. "half-sq-l2"
class HalfSquaredL2 : public Cost {
 public:
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override;
  torch::Tensor pairwise(const torch::Tensor& a, const torch::Tensor& b) const override;
  std::string name() const override { return "half-sq-l2"; }
};

/// c = ‖u−x‖₂²: the cost of WRM (Sinha et al. 2017), type-2 Wasserstein. "sq-l2"
class SquaredL2 : public Cost {
 public:
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override;
  torch::Tensor pairwise(const torch::Tensor& a, const torch::Tensor& b) const override;
  std::string name() const override { return "sq-l2"; }
};

/// c = ‖u−x‖₂, type-1 Wasserstein. Its gradient at u = x is taken as zero (a subgradient), not NaN. "l2"
class L2 : public Cost {
 public:
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override;
  torch::Tensor pairwise(const torch::Tensor& a, const torch::Tensor& b) const override;
  std::string name() const override { return "l2"; }
};

/// c = ‖u−x‖₁; the gradient of a coordinate that has not moved is zero. "l1"
class L1 : public Cost {
 public:
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override;
  torch::Tensor pairwise(const torch::Tensor& a, const torch::Tensor& b) const override;
  std::string name() const override { return "l1"; }
};

/// c = ‖u−x‖_∞; where several coordinates are the largest they share the gradient, and at u = x it is zero. "linf"
class Linf : public Cost {
 public:
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override;
  torch::Tensor pairwise(const torch::Tensor& a, const torch::Tensor& b) const override;
  std::string name() const override { return "linf"; }
};

/// c = ½ ln(1 + ‖u−x‖₂²/C²): the cost behind the inverse multiquadric kernel, with scale C in units of the input. Not
/// convex, and it grows only as a logarithm. Not a name after --cost: it comes with --kernel imq.
class LogQuadratic : public Cost {
 public:
  explicit LogQuadratic(double scale);
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override;
  torch::Tensor pairwise(const torch::Tensor& a, const torch::Tensor& b) const override;
  std::string name() const override { return "log-quadratic"; }
  bool needs_domain() const override { return true; }
  double scale() const { return scale_; }

 private:
  double scale_;
};

/// The cost of that name; throws Error with the nearest name when there is none. "mahalanobis" needs a matrix and is
/// made from one (kernel/mahalanobis.h), not by its name.
CostPtr make_cost(const std::string& name);
/// All that a user can type after --cost, "mahalanobis" included.
std::vector<std::string> cost_names();

}  // namespace arks
