#include <arks/attack/pgd.h>

#include "attack/attack_method.h"
#include "inner/surface_step.h"
#include "problem/state_guard.h"
#include "support/samples.h"
#include "support/text.h"

#include <arks/inner/maximizer.h>
#include <arks/support/error.h>

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

class BoundPgd : public BoundAttack {
 public:
  BoundPgd(const PgdOptions& options, Problem& problem, const std::optional<Bounds>& bounds)
      : options_(options),
        problem_(problem),
        bounds_(bounds),
        ball_(make_ball(options.norm(), options.eps(), options.project_bounds() ? bounds : std::nullopt,
                        options.eps_scale())) {
    if (options.eps() == 0) return;
    const auto ascent = AscentOptions()
                            .rule(steepest_rule(options.norm()))
                            .steps(options.steps())
                            .learning_rate(options.alpha())
                            .step_scale(options.eps_scale())
                            .returned(InnerReturn::kLast);
    maximizer_ = make_maximizer(problem, std::make_shared<LossAlone>(), nullptr, ascent, ball_);
  }

  AttackResult perturb(const torch::Tensor& x, const torch::Tensor& y, torch::Generator& generator) override;

 private:
  const PgdOptions options_;
  Problem& problem_;
  std::optional<Bounds> bounds_;
  ConstraintPtr ball_;
  std::unique_ptr<Maximizer> maximizer_;  // null: the samples stay where they are, and nothing is differentiated
};

AttackResult BoundPgd::perturb(const torch::Tensor& x, const torch::Tensor& y, torch::Generator& generator) {
  if (bounds_) check_within(*bounds_, x, "attack: inputs");
  if (!maximizer_) return {x, 0};
  AttackResult result;
  Worst worst;
  std::vector<bool> stuck(static_cast<size_t>(x.size(0)), true);  // zero gradients from every start so far
  for (int64_t restart = 0; restart < options_.restarts(); ++restart) {
    const bool random = options_.random_start() || restart > 0;
    const auto found = maximizer_->maximize(x, y, random ? ball_->random_point(x, generator) : torch::Tensor());
    const auto inputs = bounds_ ? bounds_->clamp(found.u) : found.u;
    for (size_t i = 0; i < stuck.size(); ++i) {
      stuck[i] = stuck[i] && found.terminations[i] == Termination::kZeroGradient;
    }
    if (options_.restarts() == 1) {
      result.inputs = inputs;
    } else {
      torch::NoGradGuard no_grad;
      const ModeGuard eval(problem_, /*training=*/false);
      worst.consider(inputs, problem_.evaluate(inputs, y));
      result.inputs = worst.inputs();
    }
  }
  result.zero_gradients = std::count(stuck.begin(), stuck.end(), true);
  return result;
}

}  // namespace

PgdAttack::PgdAttack(PgdOptions options) : options_(options) {
  make_ball(options_.norm(), options_.eps(), std::nullopt, options_.eps_scale());  // checks eps and its scale
  ARKS_CHECK(options_.steps() > 0, "pgd attack: steps must be positive, got ", options_.steps());
  ARKS_CHECK(std::isfinite(options_.alpha()) && options_.alpha() > 0, "pgd attack: alpha must be positive, got ",
             options_.alpha());
  ARKS_CHECK(options_.restarts() > 0, "pgd attack: restarts must be positive, got ", options_.restarts());
}

std::unique_ptr<BoundAttack> PgdAttack::bind(Problem& problem, const std::optional<Bounds>& bounds) const {
  return std::make_unique<BoundPgd>(options_, problem, bounds);
}

namespace {

class PgdAttackMethod : public AttackMethod {
 public:
  BallAttackSettings ball{this};
  AscentAttackSettings ascent{
      this, [this] { return published().attack_steps; },
      [this] { return grows_with_eps() ? std::nullopt : std::optional(published().attack_alpha); }, kSurfaceStep};
  Setting<bool> random_start{this, random_start_setting()};
  Setting<int64_t> restarts{this, whole("restarts", "starts per sample, all but the first at random; the worst counts")
                                      .unit("starts")
                                      .positive()
                                      .otherwise(PgdOptions().restarts())};
  Setting<bool> project_bounds{
      this, yes_no("project-bounds", "clamp to the bounds in every step, not only at the end").otherwise(false)};

  bool draws() const override { return *random_start || *restarts > 1; }
  std::string draws_when() const override { return " without --random-start or --restarts"; }
  std::string advice(double largest_eps) const override {
    if (draws() || !ascent.alpha.has_value()) return "";
    const double reach = static_cast<double>(*ascent.steps) * *ascent.alpha;
    if (reach >= largest_eps * (1 - 1e-9)) return "";
    return c10::str("the steps of pgd reach ", shortest(reach), " at most, not eps ", shortest(largest_eps),
                    "; a larger --alpha or more --steps is usually intended");
  }
  std::string strength_label() const override { return *ball.norm + " eps"; }
  void check_samples(const Dataset& samples) const override { check_factors(ball.eps_scale, samples); }
  std::unique_ptr<Attack> make(double eps) const override {
    return std::make_unique<PgdAttack>(PgdOptions()
                                           .eps(eps)
                                           .norm(parse_norm(*ball.norm))
                                           .eps_scale(to_factors(ball.eps_scale))
                                           .steps(*ascent.steps)
                                           .alpha(ascent.alpha.value_or(surface_step(eps, *ascent.steps)))
                                           .random_start(*random_start)
                                           .restarts(*restarts)
                                           .project_bounds(*project_bounds));
  }

 private:
  /// In L2, and where no step is published.
  bool grows_with_eps() const { return ball.norm.value_or("linf") == "l2" || !published().strengths; }
};

}  // namespace

AttackEntry pgd_attack() {
  return {"pgd", "projected gradient ascent on the loss", [] { return std::make_unique<PgdAttackMethod>(); }};
}

}  // namespace arks
