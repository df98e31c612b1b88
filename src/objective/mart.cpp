#include <arks/objective/mart.h>

#include "maximized_majorant.h"
#include "measured.h"
#include "objective/divergence_method.h"
#include "problem/kl_divergence.h"

#include <arks/support/error.h>

#include <cmath>
#include <limits>

namespace arks {

namespace {

/// Logits without those of the given classes: z [n,classes], index [n] → the same with −∞ there.
torch::Tensor without(const torch::Tensor& logits, const torch::Tensor& index) {
  return logits.scatter(1, index.unsqueeze(1), -std::numeric_limits<double>::infinity());
}

/// −ln(1.0001 − max_{k≠y} p_k + 1e-12), [n]. 1 − p_k is summed from the other classes: the difference would lose its
/// digits where the network is sure of a wrong class, just where this term is large.
torch::Tensor margin_term(const torch::Tensor& logits, const torch::Tensor& y) {
  static const double kLogFloor = std::log(1e-4 + 1e-12);
  const auto rival = without(logits.detach(), y).argmax(1);
  const auto rest = without(logits, rival).logsumexp(1) - logits.logsumexp(1);
  return -torch::logaddexp(rest, torch::full_like(rest, kLogFloor));
}

/// 1 − p_y, [n]
torch::Tensor doubt(const torch::Tensor& logits, const torch::Tensor& y) {
  return -logits.log_softmax(1).gather(1, y.unsqueeze(1)).squeeze(1).expm1();
}

class MartMajorant : public Majorant {
 public:
  MartMajorant(Problem& problem, MaximizedMajorant::Parts parts, double beta)
      : problem_(problem), worst_of_loss_(problem, std::move(parts)), beta_(beta) {}

  WorstPoints find(const Batch& batch, torch::Generator& generator) override {
    return worst_of_loss_.find(batch, generator);
  }

  MajorantValue value(const Batch& batch, const WorstPoints& points) override {
    const auto& y = batch.targets;
    const auto clean = problem_.predict(batch.inputs), moved = problem_.predict(points.u);
    const auto loss = problem_.evaluate_prediction(moved, y).loss;
    const auto surrogate = loss + margin_term(moved, y) + beta_ * kl_divergence(clean, moved) * doubt(clean, y);
    MajorantValue result;
    result.value = surrogate.mean();
    add_clean(points.clean, result.sums);
    result.sums.surrogate = total(surrogate);
    result.sums.adversarial_loss = total(loss);
    result.adversarial = points.u;
    return result;
  }

  std::optional<MaximizerInfo> maximizer_info() const override { return worst_of_loss_.maximizer_info(); }

 private:
  Problem& problem_;
  MaximizedMajorant worst_of_loss_;
  double beta_;
};

}  // namespace

Mart::Mart(MartOptions options, AscentOptions ascent)
    : options_(options), ascent_(ascent.rule(steepest_rule(options.norm())).step_scale(options.eps_scale())) {
  ARKS_CHECK(std::isfinite(options_.beta()) && options_.beta() >= 0, "mart: beta must be finite and not negative, got ",
             options_.beta());
  make_ball(options_.norm(), options_.eps(), options_.bounds(), options_.eps_scale());  // checks all of them
  check(ascent_);
}

std::unique_ptr<Majorant> Mart::bind(Problem& problem) const {
  ARKS_CHECK(problem.has_classes(), "mart: margins and divergences of predictions need classes; this problem has none");
  const auto loss = std::make_shared<LossAlone>();
  const auto ball = make_ball(options_.norm(), options_.eps(), options_.bounds(), options_.eps_scale());
  MaximizedMajorant::Parts parts;
  parts.maximizer = make_maximizer(problem, loss, nullptr, ascent_, ball);
  parts.surrogate = loss;
  parts.mode = ascent_.mode();
  parts.start = noisy_start(ball);
  return std::make_unique<MartMajorant>(problem, std::move(parts), options_.beta());
}

namespace {

class MartMethod : public DivergenceMethod {
 public:
  MartMethod() : DivergenceMethod("mart", [] { return MartOptions().beta(); }) {}

  std::unique_ptr<Objective> make(const MethodContext& context) const override {
    return std::make_unique<Mart>(options<MartOptions>(context), inner.options());
  }
};

}  // namespace

MethodEntry mart_method() {
  return {"mart", "the worst loss within a ball, with more weight on samples that are misclassified",
          [] { return std::make_unique<MartMethod>(); }};
}

}  // namespace arks
