#include <arks/inner/maximizer.h>
#include <arks/problem/state_guard.h>
#include <arks/support/error.h>
#include <arks/support/samples.h>

#include <algorithm>

namespace arks {

namespace {

/// Gradient ascent in plain libtorch.
class EagerMaximizer : public Maximizer {
 public:
  EagerMaximizer(Problem& problem, InnerObjectivePtr objective, CostPtr cost, const AscentOptions& ascent,
                 ConstraintPtr constraint)
      : problem_(problem),
        objective_(std::move(objective)),
        cost_(std::move(cost)),
        options_(ascent),
        constraint_(std::move(constraint)) {}

  InnerResult maximize(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& start) override;

 private:
  struct Point {
    Evaluation evaluation;
    torch::Tensor cost;   // [n]
    torch::Tensor value;  // [n] φ, no graph
  };

  const torch::Tensor& loss_argument(const Point& point) const {
    return objective_->takes_log_loss() ? point.evaluation.log_loss : point.evaluation.loss;
  }
  Point evaluate(const torch::Tensor& u, const torch::Tensor& x, const torch::Tensor& y);
  torch::Tensor gradient(const torch::Tensor& u, const Point& point);

  Problem& problem_;
  InnerObjectivePtr objective_;
  CostPtr cost_;
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

EagerMaximizer::Point EagerMaximizer::evaluate(const torch::Tensor& u, const torch::Tensor& x, const torch::Tensor& y) {
  Point point;
  point.evaluation = problem_.evaluate(u, y, objective_->takes_log_loss());
  point.cost = cost_ ? (*cost_)(u, x) : torch::zeros({x.size(0)}, x.options());
  torch::NoGradGuard no_grad;
  point.value = objective_->value(loss_argument(point), point.cost).detach();  // it may be the loss itself
  return point;
}

torch::Tensor EagerMaximizer::gradient(const torch::Tensor& u, const Point& point) {
  const auto& loss = loss_argument(point);
  InnerObjective::Partials partials;
  {
    torch::NoGradGuard no_grad;
    partials = objective_->partials(loss, point.cost);
  }
  std::vector<torch::Tensor> outputs, weights;
  // a loss that does not depend on u has no graph, and a zero gradient
  if (loss.requires_grad()) {
    outputs.push_back(loss);
    weights.push_back(partials.loss);
  }
  if (partials.cost.defined() && point.cost.requires_grad()) {
    outputs.push_back(point.cost);
    weights.push_back(partials.cost);
  }
  if (outputs.empty()) return torch::zeros_like(u);
  auto found = torch::autograd::grad(outputs, {u}, weights, /*retain_graph=*/false, /*create_graph=*/false,
                                     /*allow_unused=*/true)[0];
  return found.defined() ? found : torch::zeros_like(u);
}

InnerResult EagerMaximizer::maximize(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& start) {
  ARKS_CHECK(x.dim() >= 1 && x.numel() > 0, "inner maximisation: the batch is empty");
  ARKS_CHECK(x.is_floating_point(), "inner maximisation: the inputs must be floating point, got ", x.scalar_type());
  ARKS_CHECK(!start.defined() || start.sizes() == x.sizes(), "inner maximisation: the start has shape ", start.sizes(),
             ", the batch ", x.sizes());
  const ModeGuard mode(problem_, options_.mode() == InnerMode::kTrain);
  const FrozenParametersGuard frozen(problem_);
  const torch::AutoGradMode grad_on(true);

  InnerResult result;
  const auto origin = x.detach();
  auto u = (start.defined() ? start.detach() : origin).clone();
  const auto ascent = make_ascent(options_);
  Progress progress(origin, options_.tolerance());
  for (int64_t step = 0;; ++step) {
    const bool last = step == options_.steps();
    u.set_requires_grad(!last);
    const auto point = evaluate(u, origin, y);
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
    const auto slope = gradient(u, point);
    torch::NoGradGuard no_grad;
    progress.update(slope, options_.tolerance() > 0 ? constraint_->followable(slope, iterate, origin) : slope);
    if (progress.all_stopped()) break;
    u = progress.choose(constraint_->project(ascent->advance(iterate, slope, step), origin), iterate).detach();
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
  return std::make_unique<EagerMaximizer>(problem, std::move(objective), std::move(cost), ascent,
                                          std::move(constraint));
}

}  // namespace arks
