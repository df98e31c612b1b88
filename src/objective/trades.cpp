#include <arks/objective/trades.h>

#include "measured.h"
#include "objective/divergence_method.h"
#include "problem/kl_divergence.h"
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
        mode_(ascent.mode()),
        divergence_(problem.with_criterion(KlDivergence())) {
    const auto ball = make_ball(options.norm(), options.eps(), options.bounds(), options.eps_scale());
    start_ = noisy_start(ball);
    maximizer_ = make_maximizer(*divergence_, std::make_shared<LossAlone>(), nullptr, ascent, ball);
  }

  WorstPoints find(const Batch& batch, torch::Generator& generator) override {
    const auto& x = batch.inputs;
    const auto logits = logits_of_ascent(x);
    torch::NoGradGuard no_grad;
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
  torch::Tensor logits_of_ascent(const torch::Tensor& x) {
    const Look look(problem_, mode_);
    return problem_.predict(x);
  }

  Problem& problem_;
  double beta_;
  InnerMode mode_;
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

class TradesMethod : public DivergenceMethod {
 public:
  TradesMethod() : DivergenceMethod("trades", [this] { return published().ball_beta; }) {}

  std::unique_ptr<Objective> make(const MethodContext& context) const override {
    return std::make_unique<Trades>(options<TradesOptions>(context), inner.options());
  }
};

}  // namespace

MethodEntry trades_method() {
  return {"trades", "the loss, and how far the prediction can be moved within a ball",
          [] { return std::make_unique<TradesMethod>(); }};
}

}  // namespace arks
