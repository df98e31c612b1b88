#pragma once
#include <arks/inner/ascent.h>
#include <arks/inner/constraint.h>
#include <arks/objective/objective.h>
#include <torch/arg.h>

#include <optional>

namespace arks {

struct TradesOptions {
  TradesOptions() = default;
  TORCH_ARG(double, beta) = 6;          // weight of the divergence; ≥ 0
  TORCH_ARG(double, eps) = 0.031;       // radius of the ball, in units of the input; ≥ 0
  TORCH_ARG(Norm, norm) = Norm::kLinf;  // L∞: sign steps; L2: normalised steps
  TORCH_ARG(torch::Tensor, eps_scale);  // L∞: a factor ≥ 0 per feature for eps and α; undefined: 1
  TORCH_ARG(std::optional<Bounds>, bounds) = std::nullopt;  // intersect the ball with the box
};

/// TRADES (Zhang, Yu, Jiao, Xing, El Ghaoui, Jordan, "Theoretically Principled Trade-off between Robustness and
/// Accuracy", 2019): the clean loss, and how far the prediction can be moved within a ball,
///   min_θ mean_i l(θ,ξ_i) + β·KL(p(ξ_i)‖p(u_i)),      u_i = argmax_{‖u−ξ_i‖≤eps} KL(p(ξ_i)‖p(u)),      p = softmax.
/// The ascent starts at ξ + 0.001·N(0,1), since at ξ itself the divergence has no slope, and holds p(ξ) fixed; the step
/// of the weights goes through both. Published: 10 steps of 0.007 at eps 0.031 with β = 6 (CIFAR-10), 40 of 0.01 at 0.3
/// with β = 1 (MNIST). With batch norm the samples and the points u go through the network one after the other, so that
/// its statistics move twice a step.
///
/// β = 0 gives the weights of ERM, bit for bit (the running statistics of batch norm see the points u all the same).
/// For classes only: a loss and a network that gives logits.
class Trades : public Objective {
 public:
  explicit Trades(TradesOptions options, AscentOptions ascent = AscentOptions().steps(10).learning_rate(0.007));
  std::string name() const override { return "trades"; }
  std::unique_ptr<Majorant> bind(Problem& problem) const override;

 private:
  TradesOptions options_;
  AscentOptions ascent_;
};

}  // namespace arks
