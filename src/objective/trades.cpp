#include <arks/objective/trades.h>

#include "measured.h"
#include "objective/method_settings.h"
#include "problem/kl_divergence.h"
#include "problem/state_guard.h"
#include "start.h"

#include <arks/support/error.h>

#include <cmath>

namespace arks {

namespace {

class TradesMajorant : public Majorant {
 public:
  TradesMajorant(Problem& problem, const TradesOptions& options, const AscentOptions& ascent)
      : problem_(problem),
        beta_(options.beta()),
        training_(ascent.mode() == InnerMode::kTrain),
        divergence_(problem.with_criterion(KlDivergence())) {
    const auto ball = make_ball(options.norm(), options.eps(), options.bounds(), options.eps_scale());
    start_ = noisy_start(ball);
    maximizer_ = make_maximizer(*divergence_, std::make_shared<LossAlone>(), nullptr, ascent, ball);
  }

  WorstPoints find(const Batch& batch, torch::Generator& generator) override {
    torch::NoGradGuard no_grad;
    const auto& x = batch.inputs;
    const auto logits = logits_of_ascent(x);
    WorstPoints points;
    points.u = maximizer_->maximize(x, logits.softmax(1), start_(x, generator)).u;
    points.clean = problem_.evaluate_prediction(logits, batch.targets);
    return points;
  }

  MajorantValue value(const Batch& batch, const WorstPoints& points) override {
    const auto clean = problem_.predict(batch.inputs), moved = problem_.predict(points.u);
    const auto loss = problem_.evaluate_prediction(clean, batch.targets).loss;
    const auto surrogate = loss + beta_ * kl_divergence(clean, moved);
    MajorantValue result;
    result.value = surrogate.mean();
    add_clean(points.clean, result.sums);
    result.sums.surrogate = total(surrogate);
    result.sums.adversarial_loss = total(problem_.evaluate_prediction(moved.detach(), batch.targets).loss);
    result.adversarial = points.u;
    return result;
  }

  std::optional<MaximizerInfo> maximizer_info() const override { return maximizer_->info(); }

 private:
  /// At the samples, in the mode of the ascent; it is no step of it, so nothing is left behind.
  torch::Tensor logits_of_ascent(const torch::Tensor& x) {
    const ModeGuard mode(problem_, training_);
    std::optional<BuffersGuard> buffers;
    if (training_) buffers.emplace(problem_);
    return problem_.predict(x);
  }

  Problem& problem_;
  double beta_;
  bool training_;
  Start start_;
  std::unique_ptr<Problem> divergence_;  // the same model, judged by how far its distribution is from a given one
  std::unique_ptr<Maximizer> maximizer_;
};

}  // namespace

Trades::Trades(TradesOptions options, AscentOptions ascent)
    : options_(options), ascent_(ascent.rule(steepest_rule(options.norm())).step_scale(options.eps_scale())) {
  ARKS_CHECK(std::isfinite(options_.beta()) && options_.beta() >= 0,
             "trades: beta must be finite and not negative, got ", options_.beta());
  make_ball(options_.norm(), options_.eps(), options_.bounds(), options_.eps_scale());  // checks all of them
  check(ascent_);
}

std::unique_ptr<Majorant> Trades::bind(Problem& problem) const {
  ARKS_CHECK(problem.has_classes(), "trades: the divergence of predictions needs classes; this problem has none");
  return std::make_unique<TradesMajorant>(problem, options_, ascent_);
}

namespace {

class TradesMethod : public Method {
 public:
  Setting<double> beta{this, real("beta", "weight of the divergence beside the loss").not_negative().otherwise([this] {
                         return std::optional(published().ball_beta);
                       })};
  BallSettings ball{this, BallSettings::Norms::kAll, [this] { return published().ball_eps; }};
  InnerSettings inner{this, InnerSettings::Rule::kSteepest,
                      [this] { return ball_step(ball.eps.optional(), *inner.steps); },
                      [this] { return published().ball_steps; }};

  void check_samples(const Dataset& train_set) const override { ball.check_samples(train_set); }
  std::unique_ptr<Objective> make(const MethodContext& context) const override {
    const auto options = ball.apply(TradesOptions()).norm(parse_norm(**ball.norm)).beta(*beta).bounds(context.bounds);
    return std::make_unique<Trades>(options, inner.options());
  }

 protected:
  void check_given() const override { need_strength("trades", "--eps", ball.eps.given()); }
};

}  // namespace

MethodEntry trades_method() {
  return {"trades", "the loss, and how far the prediction can be moved within a ball",
          [] { return std::make_unique<TradesMethod>(); }};
}

}  // namespace arks
