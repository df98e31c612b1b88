#include <arks/attack/pgd.h>
#include <arks/inner/maximizer.h>
#include <arks/problem/state_guard.h>
#include <arks/support/error.h>
#include <arks/support/samples.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

/// The worst point found so far for each sample.
class Worst {
 public:
  void consider(const torch::Tensor& inputs, const Evaluation& evaluation) {
    const auto wrong = evaluation.wrong.defined() ? evaluation.wrong : torch::zeros_like(evaluation.loss, torch::kBool);
    if (!inputs_.defined()) {
      inputs_ = inputs;
      loss_ = evaluation.loss;
      wrong_ = wrong;
      return;
    }
    const auto worse =
        wrong.logical_and(wrong_.logical_not()).logical_or((wrong == wrong_).logical_and(evaluation.loss > loss_));
    inputs_ = torch::where(per_sample(worse, inputs), inputs, inputs_);
    loss_ = torch::where(worse, evaluation.loss, loss_);
    wrong_ = torch::where(worse, wrong, wrong_);
  }
  const torch::Tensor& inputs() const { return inputs_; }

 private:
  torch::Tensor inputs_, loss_, wrong_;
};

}  // namespace

PgdAttack::PgdAttack(PgdOptions options) : options_(options) {
  make_ball(options_.norm(), options_.eps(), std::nullopt, options_.eps_scale());  // checks eps and its scale
  ARKS_CHECK(options_.steps() > 0, "pgd attack: steps must be positive, got ", options_.steps());
  ARKS_CHECK(std::isfinite(options_.alpha()) && options_.alpha() > 0, "pgd attack: alpha must be positive, got ",
             options_.alpha());
  ARKS_CHECK(options_.restarts() > 0, "pgd attack: restarts must be positive, got ", options_.restarts());
}

AttackResult PgdAttack::perturb(Problem& problem, const torch::Tensor& x, const torch::Tensor& y,
                                const std::optional<Bounds>& bounds, torch::Generator& generator) const {
  if (bounds) check_within(*bounds, x, "attack: inputs");
  const auto ball = make_ball(options_.norm(), options_.eps(), options_.project_bounds() ? bounds : std::nullopt,
                              options_.eps_scale());
  const auto ascent = AscentOptions()
                          .rule(steepest_rule(options_.norm()))
                          .steps(options_.steps())
                          .learning_rate(options_.alpha())
                          .step_scale(options_.eps_scale())
                          .returned(InnerReturn::kLast);
  const auto maximizer = make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, ascent, ball);
  AttackResult result;
  Worst worst;
  std::vector<bool> stuck(static_cast<size_t>(x.size(0)), true);  // zero gradients from every start so far
  for (int64_t restart = 0; restart < options_.restarts(); ++restart) {
    const bool random = options_.random_start() || restart > 0;
    const auto found = maximizer->maximize(x, y, random ? ball->random_point(x, generator) : torch::Tensor());
    const auto inputs = bounds ? bounds->clamp(found.u) : found.u;
    for (size_t i = 0; i < stuck.size(); ++i) {
      stuck[i] = stuck[i] && found.terminations[i] == Termination::kZeroGradient;
    }
    if (options_.restarts() == 1) {
      result.inputs = inputs;
    } else {
      torch::NoGradGuard no_grad;
      const ModeGuard eval(problem, /*training=*/false);
      worst.consider(inputs, problem.evaluate(inputs, y));
      result.inputs = worst.inputs();
    }
  }
  result.zero_gradients = std::count(stuck.begin(), stuck.end(), true);
  return result;
}

}  // namespace arks
