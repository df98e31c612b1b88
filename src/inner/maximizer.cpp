#include "inner/compiled_maximizer.h"
#include "inner/landscape.h"
#include "inner/lbfgs.h"
#include "problem/state_guard.h"
#include "support/samples.h"

#include <arks/support/error.h>

#include <algorithm>
#include <optional>
#include <typeinfo>

namespace arks {

namespace {

/// Gradient ascent in plain libtorch.
class EagerMaximizer : public Maximizer {
 public:
  EagerMaximizer(Landscape landscape, const AscentOptions& ascent, ConstraintPtr constraint)
      : landscape_(std::move(landscape)), options_(ascent), constraint_(std::move(constraint)) {}

  InnerResult maximize(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& start) override;

 private:
  Landscape landscape_;
  AscentOptions options_;
  ConstraintPtr constraint_;
};

/// Which samples still move, and why the others stopped.
class Progress {
 public:
  Progress(const torch::Tensor& x, double tolerance)
      : terminations_(static_cast<size_t>(x.size(0)), Termination::kStepLimit),
        moving_(torch::ones({x.size(0)}, x.options().dtype(torch::kBool))),
        tolerance_(tolerance) {}

  /// Stops the samples that left the finite numbers. finite [n].
  void stop_unless(const torch::Tensor& finite) {
    if (!finite.all().item<bool>()) stop(finite.logical_not(), Termination::kNotFinite);
  }

  /// Stops the samples whose gradient says so. gradient [n,...]; `followable` is what is left of it within the set.
  void update(const torch::Tensor& gradient, const torch::Tensor& followable) {
    const auto largest = rows(gradient).abs().amax(1);  // NaN where any entry is
    const auto finite = largest.isfinite();
    if (!finite.logical_and(largest > 0).all().item<bool>()) {
      stop(finite.logical_not(), Termination::kNotFinite);
      stop(largest == 0, Termination::kZeroGradient);
    }
    if (tolerance_ > 0) stop(rows(followable).abs().amax(1) <= tolerance_, Termination::kGradientTolerance);
  }

  bool all_stopped() const { return some_stopped_ && !moving_.any().item<bool>(); }

  /// `next` where a sample moves, `current` where it has stopped.
  torch::Tensor choose(const torch::Tensor& next, const torch::Tensor& current) const {
    if (!some_stopped_) return next;
    return torch::where(per_sample(moving_, next), next, current);
  }

  std::vector<Termination> take_terminations() { return std::move(terminations_); }

 private:
  void stop(const torch::Tensor& which, Termination why) {
    const auto newly = which.logical_and(moving_).nonzero().flatten();
    for (int64_t i = 0; i < newly.size(0); ++i) terminations_[newly[i].item<int64_t>()] = why;
    if (newly.size(0) > 0) {
      moving_.index_fill_(0, newly, false);
      some_stopped_ = true;
    }
  }

  std::vector<Termination> terminations_;
  torch::Tensor moving_;
  double tolerance_;
  bool some_stopped_ = false;
};

/// Takes over the iterate into the result: where it is finite and better, or with kLast wherever it is finite.
void keep(InnerResult& result, const torch::Tensor& u, const torch::Tensor& value, const torch::Tensor& loss,
          const torch::Tensor& cost, const torch::Tensor& finite, InnerReturn returned) {
  if (!result.u.defined()) {
    result.u = u;
    result.values = value;
    result.losses = loss;
    result.costs = cost;
    return;
  }
  const auto take = returned == InnerReturn::kBest ? finite.logical_and(value > result.values) : finite;
  result.u = torch::where(per_sample(take, u), u, result.u);
  result.values = torch::where(take, value, result.values);
  result.losses = torch::where(take, loss, result.losses);
  result.costs = torch::where(take, cost, result.costs);
}

InnerResult EagerMaximizer::maximize(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& start) {
  auto u = checked_start(x, start);
  const ModeGuard mode(landscape_.problem(), options_.mode() == InnerMode::kTrain);
  const FrozenParametersGuard frozen(landscape_.problem());
  const torch::AutoGradMode grad_on(true);

  InnerResult result;
  const auto origin = x.detach();
  const auto ascent = make_ascent(options_);
  Progress progress(origin, options_.tolerance());
  for (int64_t step = 0;; ++step) {
    const bool last = step == options_.steps();
    // the last pass measures the last iterate and is no step: it must not move what the steps move
    std::optional<BuffersGuard> measuring;
    if (last && options_.mode() == InnerMode::kTrain) measuring.emplace(landscape_.problem());
    u.set_requires_grad(!last);
    const auto point = landscape_.evaluate(u, origin, y);
    if (step == 0) {
      result.start_losses = point.evaluation.loss.detach();
      result.start_wrong = point.evaluation.wrong;
    }
    const auto iterate = u.detach();
    // a bounded loss can be finite where u no longer is
    const auto finite = point.value.isfinite().logical_and(rows(iterate).isfinite().all(1));
    keep(result, iterate, point.value, point.evaluation.loss.detach(), point.cost.detach(), finite,
         options_.returned());
    progress.stop_unless(finite);
    if (last || progress.all_stopped()) break;
    const auto slope = landscape_.gradient(u, point);
    torch::NoGradGuard no_grad;
    progress.update(slope, options_.tolerance() > 0 ? constraint_->followable(slope, iterate, origin) : slope);
    if (progress.all_stopped()) break;
    u = progress.choose(constraint_->project(ascent->advance(iterate, slope, step), origin), iterate).detach();
    if (step + 1 == options_.steps() && !options_.measures_last()) {
      const auto usable = rows(u).isfinite().all(1);
      // a sample that stopped earlier keeps what it has: its iterate was measured, and perhaps not taken
      result.u = progress.choose(torch::where(per_sample(usable, u), u, result.u), result.u);
      progress.stop_unless(usable);
      break;
    }
  }
  result.terminations = progress.take_terminations();
  return result;
}

}  // namespace

int64_t InnerResult::count(Termination termination) const {
  return std::count(terminations.begin(), terminations.end(), termination);
}

void InnerResult::take_better(const InnerResult& other) {
  // a value that is not finite is replaced by any that is
  const auto better =
      other.values.isfinite().logical_and((other.values > values).logical_or(values.isfinite().logical_not()));
  u = torch::where(per_sample(better, u), other.u, u);
  values = torch::where(better, other.values, values);
  losses = torch::where(better, other.losses, losses);
  costs = torch::where(better, other.costs, costs);
  for (size_t i = 0; i < terminations.size(); ++i) {
    if (better[static_cast<int64_t>(i)].item<bool>()) terminations[i] = other.terminations[i];
  }
}

std::unique_ptr<Maximizer> make_maximizer(Problem& problem, InnerObjectivePtr objective, CostPtr cost,
                                          const AscentOptions& ascent, ConstraintPtr constraint) {
  check(ascent);
  ARKS_CHECK(objective && constraint, "maximizer: objective and constraint must be given");
  const auto one = torch::ones({1});
  ARKS_CHECK(cost || !objective->partials(one, one).cost.defined(), "maximizer: this objective needs a cost");
  ARKS_CHECK(ascent.measures_last() || !cost,
             "maximizer: measures_last(false) leaves the cost of the last iterate unknown, and this objective has one");
  Landscape landscape(problem, objective, cost);
  if (ascent.rule() == AscentRule::kLbfgs) return make_lbfgs(std::move(landscape), ascent, std::move(constraint));
  auto eager = std::make_unique<EagerMaximizer>(std::move(landscape), ascent, constraint);
  auto* const supervised = dynamic_cast<SupervisedProblem*>(&problem);
  // a class derived from it may compute another loss
  if (supervised == nullptr || typeid(problem) != typeid(SupervisedProblem)) return eager;
  return make_compiled_maximizer(*supervised, std::move(objective), cost, ascent, std::move(constraint),
                                 std::move(eager));
}

}  // namespace arks
