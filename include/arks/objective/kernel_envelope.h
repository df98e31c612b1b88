#pragma once
#include <arks/inner/ascent.h>
#include <arks/inner/constraint.h>
#include <arks/kernel/kernel.h>
#include <arks/objective/objective.h>
#include <torch/arg.h>

namespace arks {

struct KernelEnvelopeOptions {
  explicit KernelEnvelopeOptions(Bounds domain) : domain_(std::move(domain)) {}
  TORCH_ARG(Bounds, domain);         // the compact set that u is searched in; holds every sample
  TORCH_ARG(double, gamma) = 1;      // the paper's y, multiplies 1 − k; in units of the loss; ≥ 0
  TORCH_ARG(int64_t, restarts) = 4;  // starts of the ascent, the first at x, the others anywhere in the domain; > 0
};

/// The kernel distance envelope (KE, the paper's appendix): a Moreau envelope with the distance of the kernel's
/// features,
///   min_θ mean_i sup_{u∈X} { l(θ,u) − γ·(1 − k(u,ξ_i)) },      1 − k = ½‖φ(u) − φ(ξ)‖².
/// A majorant of the loss. γ → ∞ gives ERM (the appendix prints y → 0), γ = 0 the worst case over X. Since 1 − k ≤ 1
/// the supremum over all of space is infinite for every unbounded loss: hence the domain.
class KernelEnvelope : public Objective {
 public:
  KernelEnvelope(Kernel kernel, KernelEnvelopeOptions options, AscentOptions ascent = AscentOptions());
  std::string name() const override { return "ke"; }
  std::unique_ptr<Majorant> bind(Problem& problem) const override;

 private:
  Kernel kernel_;
  KernelEnvelopeOptions options_;
  AscentOptions ascent_;
};

}  // namespace arks
