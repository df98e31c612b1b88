#pragma once
#include <arks/kernel/cost.h>

namespace arks {

/// k(u,x) = exp(−c(u,x)/τ): a cost c and a temperature τ > 0 (the paper's c-exponential kernel, Definition 3.2).
/// Objectives and certificates use only these two. k(x,x) = 1; τ → 0 leaves nothing but u = x, τ = ∞ gives k = 1.
class Kernel {
 public:
  Kernel(CostPtr cost, double temperature);

  /// u, x [n,...] → [n], the diagonal only.
  torch::Tensor operator()(const torch::Tensor& u, const torch::Tensor& x) const;

  /// Every sample of a with every sample of b, [m,...] and [n,...] → [m,n], no graph.
  torch::Tensor matrix(const torch::Tensor& a, const torch::Tensor& b) const;

  const CostPtr& cost() const { return cost_; }
  double temperature() const { return temperature_; }

  /// True when sup_u l(u)·k(u,x) is infinite for an unbounded loss, so that a compact domain has to be declared: a
  /// kernel without decay (τ = ∞), or one that falls only as a power of the distance.
  bool needs_domain() const;

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

/// k = (1 + ‖u−x‖²/C²)^(−1/2), normalised to k(x,x) = 1: c = ½ ln(1 + ‖u−x‖²/C²), τ = 1. C → ∞ gives k = 1.
class InverseMultiquadricKernel : public Kernel {
 public:
  explicit InverseMultiquadricKernel(double scale);
};

}  // namespace arks
