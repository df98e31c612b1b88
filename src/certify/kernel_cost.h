#pragma once
#include <arks/kernel/kernel.h>

namespace arks {

/// c(u,x) = 1 − k(u,x) with k = exp(−c₀/τ₀): the transport cost of the kernel distance envelope (KE), whose inner
/// problem
///   sup_u { l(u) − γ·(1 − k(u,x)) }
/// is the c-transform for this cost. At most 1 however far u goes, so unbounded losses need a declared domain.
/// τ₀ → 0 charges 1 for every move; τ₀ = ∞ would charge nothing and is refused.
class KernelCost : public Cost {
 public:
  explicit KernelCost(Kernel kernel);
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const override;
  torch::Tensor pairwise(const torch::Tensor& a, const torch::Tensor& b) const override;
  /// "1-exp(-half-sq-l2/0.25)"
  std::string name() const override;
  bool needs_domain() const override { return true; }

  const Kernel& kernel() const { return kernel_; }

 private:
  Kernel kernel_;
};

}  // namespace arks
