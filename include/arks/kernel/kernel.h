#pragma once
#include <arks/kernel/cost.h>

namespace arks {

/// k(u,x) = exp(−c(u,x)/τ): a cost c and a temperature τ > 0 (the paper's c-exponential kernel, Definition 3.2).
/// Objectives and certificates use only these two. k(x,x) = 1; τ → 0 leaves nothing but u = x, τ → ∞ gives k = 1.
class Kernel {
 public:
  Kernel(CostPtr cost, double temperature);

  /// u, x [n,...] → [n], the diagonal only.
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const;

  const CostPtr& cost() const { return cost_; }
  double temperature() const { return temperature_; }

 private:
  CostPtr cost_;
  double temperature_;
};

/// k = exp(−‖u−x‖²/(2σ²)): c = ½‖u−x‖², τ = σ². The paper's text writes 2σ, but all hyper-parameters in its tables were
/// found with 2σ², and so `--sigma` means this one.
class GaussianKernel : public Kernel {
 public:
  explicit GaussianKernel(double sigma);
};

/// Which norm the Laplacian kernel measures with.
enum class LaplacianNorm { kL1, kL2 };

/// k = exp(−‖u−x‖/σ): c = ‖u−x‖₁ (default) or ‖u−x‖₂, τ = σ.
class LaplacianKernel : public Kernel {
 public:
  explicit LaplacianKernel(double sigma, LaplacianNorm norm = LaplacianNorm::kL1);
};

}  // namespace arks
