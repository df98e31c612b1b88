#pragma once
#include <arks/inner/ascent.h>
#include <arks/inner/constraint.h>
#include <arks/objective/objective.h>
#include <torch/arg.h>

#include <optional>

namespace arks {

struct MartOptions {
  MartOptions() = default;
  TORCH_ARG(double, beta) = 5;          // weight of the divergence; ≥ 0
  TORCH_ARG(double, eps) = 0.031;       // radius of the ball, in units of the input; ≥ 0
  TORCH_ARG(Norm, norm) = Norm::kLinf;  // L∞: sign steps; L2: normalised steps
  TORCH_ARG(torch::Tensor, eps_scale);  // L∞: a factor ≥ 0 per feature for eps and α; undefined: 1
  TORCH_ARG(std::optional<Bounds>, bounds) = std::nullopt;  // intersect the ball with the box
};

/// MART (Wang, Zou, Yi, Bailey, Ma, Gu, "Improving Adversarial Robustness Requires Revisiting Misclassified Examples",
/// 2020): with p = softmax of the logits and u_i the worst point of the loss in the ball around ξ_i,
///   min_θ mean_i BCE(p(u_i), y_i) + β·KL(p(ξ_i)‖p(u_i))·(1 − p_y(ξ_i)),
///   BCE(p, y) = −ln p_y − ln(1.0001 − max_{k≠y} p_k + 1e-12).
/// The second term of BCE widens the margin; it is the authors' code, the paper has ln(1 − max p). It grows to 9.2 and
/// no further where the network is sure of a wrong class. Samples that are misclassified before anything moves weigh
/// most in the divergence. The ascent starts at ξ + 0.001·N(0,1). All of it goes into the step of the weights, with u
/// held fixed. With batch norm the samples and the points u go through the network one after the other, so that its
/// statistics move twice a step.
///
/// eps = 0 leaves BCE on the samples; β = 0 BCE on the points u. For classes only.
class Mart : public Objective {
 public:
  explicit Mart(MartOptions options, AscentOptions ascent = AscentOptions().steps(10).learning_rate(0.007));
  std::string name() const override { return "mart"; }
  std::unique_ptr<Majorant> bind(Problem& problem) const override;

 private:
  MartOptions options_;
  AscentOptions ascent_;
};

}  // namespace arks
