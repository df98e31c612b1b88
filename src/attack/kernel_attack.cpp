#include "attack/attack_method.h"

#include <arks/attack/kernel_attack.h>
#include <arks/inner/maximizer.h>
#include <arks/kernel/kernel.h>
#include <arks/support/error.h>
#include <c10/util/accumulate.h>

#include <algorithm>
#include <cmath>

namespace arks {

KernelAttack::KernelAttack(double sigma, AscentOptions ascent) : sigma_(sigma), ascent_(std::move(ascent)) {
  ARKS_CHECK(std::isfinite(sigma_) && sigma_ >= 0, "arks attack: eps, the bandwidth, must be finite and not negative, ",
             "got ", sigma_);
  check(ascent_);
}

namespace {

class BoundKernelAttack : public BoundAttack {
 public:
  BoundKernelAttack(std::unique_ptr<Maximizer> maximizer, std::optional<Bounds> bounds)
      : maximizer_(std::move(maximizer)), bounds_(std::move(bounds)) {}

  AttackResult perturb(const torch::Tensor& x, const torch::Tensor& y, torch::Generator& /*generator*/) override {
    if (bounds_) check_within(*bounds_, x, "attack: inputs");
    if (!maximizer_) return {x, 0};
    const auto found = maximizer_->maximize(x, y);
    return {bounds_ ? bounds_->clamp(found.u) : found.u, found.count(Termination::kZeroGradient)};
  }

 private:
  std::unique_ptr<Maximizer> maximizer_;  // null: the samples stay where they are
  std::optional<Bounds> bounds_;
};

}  // namespace

std::unique_ptr<BoundAttack> KernelAttack::bind(Problem& problem, const std::optional<Bounds>& bounds) const {
  if (sigma_ == 0) return std::make_unique<BoundKernelAttack>(nullptr, bounds);
  const GaussianKernel kernel(sigma_);
  // the logarithm does not underflow far from x
  const auto climbed = std::make_shared<LogKernelProduct>(kernel.temperature());
  return std::make_unique<BoundKernelAttack>(
      make_maximizer(problem, climbed, kernel.cost(), ascent_, make_domain(std::nullopt)), bounds);
}

namespace {

// where the paper gives no rate: small steps of eps/20, and many
constexpr int64_t kSteps = 100, kRatePart = 20;

class KernelAttackMethod : public AttackMethod {
 public:
  AscentAttackSettings ascent{
      this, [this] { return published().strengths ? published().inner_steps : kSteps; },
      [this] { return published().strengths ? std::optional(published().sigma_inner_rate) : std::nullopt; },
      "eps/" + std::to_string(kRatePart) + " at most"};

  /// A first step moves every input, and must not leave the kernel at once where there are many.
  double rate_part() const {
    constexpr double kShortestPart = 5;  // of eps
    const auto inputs = static_cast<double>(c10::multiply_integers(data().input_shape));
    return std::max(static_cast<double>(kRatePart), kShortestPart * std::sqrt(inputs));
  }
  std::string strength() const override { return "bandwidth σ of the kernel"; }
  std::string strength_label() const override { return "sigma"; }
  std::string eps_unit() const override { return "the bandwidth sigma, in " + input_units(data()); }
  std::unique_ptr<Attack> make(double eps) const override {
    const auto rate = ascent.alpha.value_or(eps == 0 ? published().sigma_inner_rate : eps / rate_part());
    return std::make_unique<KernelAttack>(
        eps, AscentOptions().rule(AscentRule::kAmsgrad).steps(*ascent.steps).learning_rate(rate));
  }
};

}  // namespace

AttackEntry arks_attack() {
  return {"arks", "the worst point of ARKS, the largest loss*kernel; eps is the bandwidth",
          [] { return std::make_unique<KernelAttackMethod>(); }};
}

}  // namespace arks
