#pragma once
#include <arks/inner/ascent.h>
#include <arks/inner/constraint.h>
#include <arks/kernel/kernel.h>
#include <arks/objective/objective.h>

#include <optional>

namespace arks {

/// In which form the inner problem is climbed; at convergence both have the same maximiser.
enum class InnerForm {
  kProduct,  ///< l·k, as published
  kLog,      ///< ln l − c/τ: no under- or overflow, smoother for confident samples
};

/// Adversarially robust kernel smoothing (the paper's program (7)): the loss is replaced by its k-transform,
///   min_θ mean_i sup_u l(θ,u)·k(u,ξ_i),       gradient for θ: k(u*,ξ_i) ∇_θ l(θ,u*).
/// A majorant of the loss as long as the best iterate is kept (AscentOptions::returned). σ → 0 gives ERM, σ → ∞ the
/// worst case over all u. With a domain u stays in that box; kernels that do not decay fast enough (σ = ∞, inverse
/// multiquadric) need one.
class Arks : public Objective {
 public:
  explicit Arks(Kernel kernel, AscentOptions ascent = AscentOptions(), InnerForm form = InnerForm::kProduct,
                std::optional<Bounds> domain = std::nullopt);
  std::string name() const override { return "arks"; }
  std::string remedy() const override;
  std::unique_ptr<Majorant> bind(Problem& problem) const override;

 private:
  Kernel kernel_;
  AscentOptions ascent_;
  InnerForm form_;
  std::optional<Bounds> domain_;
};

}  // namespace arks
