#pragma once
#include <arks/kernel/kernel.h>
#include <arks/objective/objective.h>
#include <torch/arg.h>

#include <string>
#include <vector>

namespace arks {

/// Which function of the input is measured in the kernel's Hilbert space.
enum class InterpolantVariant {
  kLoss,  ///< the loss: + ε √(lᵀK⁻¹l)
  kModel,  ///< the loss of the model's kernel regression f = K(K + λ1)⁻¹g: + ε √(l_fᵀK⁻¹l_f), l_f = loss of f(X)
  kRidge,  ///< the model itself, as in kernel ridge regression: + λ g(X)ᵀK⁻¹g(X)
};

/// "loss", "model", "ridge"
InterpolantVariant parse_interpolant_variant(const std::string& name);
std::vector<std::string> interpolant_variant_names();

struct KernelInterpolantOptions {
  KernelInterpolantOptions() = default;
  TORCH_ARG(InterpolantVariant, variant) = InterpolantVariant::kLoss;
  TORCH_ARG(double, epsilon) = 0.1;  // ε, radius of the ball of distributions in MMD; ≥ 0
  TORCH_ARG(double, lambda) = 0.1;   // λ of kModel (a ridge, > 0) and of kRidge (≥ 0)
  TORCH_ARG(double, jitter) = 1e-6;  // added to the diagonal of K; ≥ 0
};

/// The kernel interpolant (KI, the paper's appendix): the mean loss and a penalty on the norm of an interpolant,
///   min_θ mean_i l(θ,ξ_i) + ε √(lᵀK⁻¹l),      l = losses of the batch, K = k(X,X) + jitter·1 on its inputs.
/// The penalty bounds what a shift of the data by ε in MMD can add. It interpolates at the samples only and is no
/// majorant between them. ε = 0 gives ERM. At its own sites an exact interpolant of the model is the model, so that
/// kModel with λ → 0 is kLoss; the ridge is what sets it apart.
class KernelInterpolant : public Objective {
 public:
  explicit KernelInterpolant(Kernel kernel, KernelInterpolantOptions options = KernelInterpolantOptions());
  std::string name() const override { return "ki"; }
  std::unique_ptr<Majorant> bind(Problem& problem) const override;

 private:
  Kernel kernel_;
  KernelInterpolantOptions options_;
};

}  // namespace arks
