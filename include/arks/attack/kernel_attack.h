#pragma once
#include <arks/attack/attack.h>
#include <arks/inner/ascent.h>

namespace arks {

/// The worst point of ARKS as an attack: for a Gaussian kernel of bandwidth σ
///   u* = argmax_u l(u)·exp(−‖u−x‖²/(2σ²)),
/// found by ascent from x, the best iterate of each sample; then a clamp to the bounds. There is no radius: the kernel
/// holds u near x, the closer the smaller σ. σ = 0 leaves the samples as they are. It is the maximiser that
/// training with ARKS at this bandwidth looks for, climbed here in the logarithm.
class KernelAttack : public Attack {
 public:
  explicit KernelAttack(double sigma, AscentOptions ascent = AscentOptions());
  std::string name() const override { return "arks"; }
  std::string measure() const override { return "sigma"; }
  double eps() const override { return sigma_; }
  std::unique_ptr<BoundAttack> bind(Problem& problem, const std::optional<Bounds>& bounds) const override;

 private:
  double sigma_;
  AscentOptions ascent_;
};

}  // namespace arks
