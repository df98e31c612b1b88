#pragma once
#include <arks/inner/ascent.h>
#include <arks/inner/constraint.h>
#include <arks/objective/objective.h>
#include <torch/arg.h>

#include <optional>

namespace arks {

struct FastOptions {
  FastOptions() = default;
  TORCH_ARG(double, eps) = 8.0 / 255;   // radius of the L∞ ball, in units of the input; ≥ 0
  TORCH_ARG(double, step) = 1.25;       // length of the one step, in units of eps; > 0
  TORCH_ARG(torch::Tensor, eps_scale);  // a factor ≥ 0 per feature for eps and the step; undefined: 1
  TORCH_ARG(std::optional<Bounds>, bounds) = std::nullopt;  // intersect the ball with the box
  TORCH_ARG(InnerMode, mode) = InnerMode::kEval;            // of the network while u is looked for
  TORCH_ARG(int64_t, watch_batches) = 1;  // of every epoch, attacked at its end, at least 512 samples; 0: no watch
  TORCH_ARG(int64_t, watch_steps) = 10;   // of that attack; > 0
  TORCH_ARG(double, watch_drop) = 0.2;    // fall of the accuracy under it that ends the training; above 0, at most 1
};

/// Adversarial training with one step from a random start (Wong, Rice, Kolter, "Fast is better than free: Revisiting
/// adversarial training", 2020; FGSM-RS):
///   min_θ mean_i l(θ,u_i),      u_i = P(s_i + step·eps·sign ∇_u l(θ,s_i)),      s_i uniform in the ball,
/// P the projection onto the L∞ ball ∩ bounds. The point of the step is taken whatever the loss there. A step costs
/// about two and a half ordinary ones: one for u, one for the weights, and a forward pass for the clean figures.
/// Published with a one-cycle rate over 15 epochs (CIFAR-10). arks has no one-cycle rate; --lr-steps is the nearest.
///
/// One step can be learned by heart: within a few batches the network becomes robust against this one and falls to
/// every other ("catastrophic overfitting"). So after every epoch the first watch_batches batches of it, and as many
/// more as make at least 512 samples, are attacked with PGD (L∞, watch_steps steps of max(1/4, 2.5/watch_steps)·eps
/// from a random start, evaluation mode). When the accuracy there is lower than the best so far by more than
/// watch_drop, this epoch is undone and the training ends. Where the best is above 10 %, a fall by more than half
/// of it is enough. The watch counts errors and so needs classes; without it any loss will do.
///
/// eps = 0 is ERM.
class FastTraining : public Objective {
 public:
  explicit FastTraining(FastOptions options = FastOptions());
  std::string name() const override { return "fast"; }
  std::unique_ptr<Majorant> bind(Problem& problem) const override;

 private:
  FastOptions options_;
};

}  // namespace arks
