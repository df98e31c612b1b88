#include "certify/c_transform.h"

#include "data/batches.h"
#include "float64_guard.h"
#include "numbers.h"
#include "problem/state_guard.h"
#include "support/complaint.h"
#include "support/samples.h"
#include "support/text.h"

#include <arks/inner/maximizer.h>
#include <arks/support/error.h>
#include <arks/support/random.h>

#include <cmath>

namespace arks {

namespace {

constexpr double kRoundingMargin = 1e-10;

/// φ = q − strength·c, the inner objective of every c-transform; strength 0 is the worst case.
class PenalisedQuantity : public InnerObjective {
 public:
  PenalisedQuantity(Quantity quantity, double strength) : log_(quantity == Quantity::kLogLoss), strength_(strength) {}
  torch::Tensor value(const torch::Tensor& loss, const torch::Tensor& cost) const override {
    return loss - strength_ * cost;
  }
  Partials partials(const torch::Tensor& loss, const torch::Tensor& cost) const override {
    return {torch::ones_like(loss), torch::full_like(cost, -strength_)};
  }
  bool takes_log_loss() const override { return log_; }

 private:
  bool log_;
  double strength_;
};

void check(const CTransformOptions& options) {
  ARKS_CHECK(options.cost() != nullptr, "certify: no cost given");
  ARKS_CHECK(options.starts() > 0, "certify: starts must be positive, got ", options.starts());
  ARKS_CHECK(options.batch_size() > 0, "certify: the batch size must be positive, got ", options.batch_size());
  ARKS_CHECK(!options.lipschitz() || (std::isfinite(*options.lipschitz()) && *options.lipschitz() >= 0),
             "certify: the Lipschitz constant must be finite and not negative, got ", *options.lipschitz());
  ARKS_CHECK(!options.curvature() || std::isfinite(*options.curvature()),
             "certify: the bound on the curvature must be finite, got ", *options.curvature());
}

}  // namespace

std::string to_string(Quantity quantity) {
  return quantity == Quantity::kLogLoss ? "log_loss" : "loss";
}

Quantity parse_quantity(const std::string& name) {
  return named_value<Quantity>(name, quantity_names(), "quantity");
}

std::vector<std::string> quantity_names() {
  return {"log_loss", "loss"};
}

AscentOptions certificate_ascent() {
  return AscentOptions().rule(AscentRule::kLbfgs).learning_rate(1).steps(50).tolerance(1e-8);
}

struct CTransform::State {
  State(Problem& of, CTransformOptions chosen)
      : problem(of), options(std::move(chosen)), float64(of), frozen(of), eval(of, /*training=*/false) {}

  void take_samples(const Dataset& dataset);
  void look_at_samples();
  /// q at u, with a graph where gradients are on.
  torch::Tensor quantity(const torch::Tensor& u, const torch::Tensor& targets);
  /// Ascent on samples [begin, end) from one start.
  CTransformValues ascend(int64_t begin, int64_t end, double strength, const torch::Tensor& start);
  torch::Tensor random_start(const torch::Tensor& origin, const torch::Tensor& found, double strength,
                             torch::Generator& generator) const;
  torch::Tensor curvature_bound(int64_t begin, int64_t end, const CTransformValues& found);
  torch::Tensor proved(int64_t begin, int64_t end, const CTransformValues& found);
  std::vector<CTransformValues> batch(int64_t begin, int64_t end, double strength, const torch::Tensor& warm);

  Problem& problem;
  CTransformOptions options;
  Float64Guard float64;
  FrozenParametersGuard frozen;
  ModeGuard eval;
  ConstraintPtr constraint;
  CostGeometry geometry;
  torch::Tensor x, y;
  torch::Tensor low, high;  // [n,...] the domain, where there is one
  torch::Tensor reach;      // [n] distance to the farthest point of the domain
  torch::Tensor values;     // [n] q(x)
  double slope = 0;
};

void CTransform::State::take_samples(const Dataset& dataset) {
  ARKS_CHECK(dataset.size() > 0, "certify: the data set is empty");
  const auto all = dataset.get(torch::arange(dataset.size(), torch::kLong));
  x = all.inputs.to(torch::kDouble);
  y = all.targets.is_floating_point() ? all.targets.to(torch::kDouble) : all.targets;
  geometry = geometry_of(*options.cost(), rows(x).size(1));
  constraint = make_domain(options.domain());
  if (!options.domain()) {
    reach = torch::full({x.size(0)}, kInfinite, x.options());
    return;
  }
  check_within(*options.domain(), all.inputs, "certify: the samples");
  x = options.domain()->clamp(x);  // a float32 on the edge may lie a rounding beyond it in float64
  low = options.domain()->at(torch::zeros_like(x));
  high = options.domain()->at(torch::ones_like(x));
  reach = sample_norms(torch::maximum(x - low, high - x));
}

torch::Tensor CTransform::State::quantity(const torch::Tensor& u, const torch::Tensor& targets) {
  const bool log = options.quantity() == Quantity::kLogLoss;
  const auto evaluation = problem.evaluate(u, targets, log);
  return log ? evaluation.log_loss : evaluation.loss;
}

/// q(x) and its slope; where a problem cannot compute in float64 it shows here.
void CTransform::State::look_at_samples() {
  std::vector<torch::Tensor> parts;
  double squares = 0;
  for (int64_t begin = 0; begin < x.size(0); begin += options.batch_size()) {
    const auto end = std::min(begin + options.batch_size(), x.size(0));
    const torch::AutoGradMode grad_on(true);
    auto u = x.slice(0, begin, end).clone().set_requires_grad(true);
    torch::Tensor q;
    try {
      q = quantity(u, y.slice(0, begin, end));
    } catch (const std::exception& error) {
      throw Error("certify: the problem does not compute in float64, as a proof needs: " + complaint_of(error));
    }
    ARKS_CHECK(q.scalar_type() == torch::kDouble, "certify: the problem returns losses of type ", q.scalar_type(),
               " for inputs of float64; a proof needs float64");
    if (q.requires_grad()) {
      const auto gradient = torch::autograd::grad({q.sum()}, {u}, {}, c10::nullopt, false, /*allow_unused=*/true)[0];
      if (gradient.defined()) squares += gradient.pow(2).sum().item<double>();
    }
    parts.push_back(q.detach());
  }
  values = torch::cat(parts);
  ARKS_CHECK(values.isfinite().all().item<bool>(), "certify: the ", to_string(options.quantity()),
             " of a sample is not finite; there is nothing to certify");
  slope = std::sqrt(squares / static_cast<double>(x.size(0)));
}

CTransformValues CTransform::State::ascend(int64_t begin, int64_t end, double strength, const torch::Tensor& start) {
  const auto origin = x.slice(0, begin, end), targets = y.slice(0, begin, end);
  const auto objective = std::make_shared<PenalisedQuantity>(options.quantity(), strength);
  const auto found = make_maximizer(problem, objective, options.cost(), options.ascent(), constraint)
                         ->maximize(origin, targets, start);
  return {strength, found.values, {}, found.values + strength * found.costs, found.costs, found.u};
}

/// A random direction, as far as the ascent from x has gone or as far as the penalty's own length, whichever is more;
/// any point of the domain for costs that hardly grow, under which the maximum may lie anywhere.
torch::Tensor CTransform::State::random_start(const torch::Tensor& origin, const torch::Tensor& found, double strength,
                                              torch::Generator& generator) const {
  if (options.cost()->needs_domain() && options.domain()) return constraint->random_point(origin, generator);
  double own_length = 1;
  if (geometry.quadratic && strength > 0) own_length = std::sqrt(2 / (strength * *geometry.quadratic));
  if (geometry.linear && strength > 0) own_length = 1 / (strength * *geometry.linear);
  const auto length = sample_norms(found - origin).clamp_min(own_length);
  const auto share = torch::empty_like(length).uniform_(0, 1, generator);
  const auto direction = unit_samples(torch::empty_like(origin).normal_(0, 1, generator));
  const auto start = constraint->project(origin + direction * per_sample(length * share, origin), origin);
  return torch::where(per_sample(rows(start).isfinite().all(1), origin), start, origin);
}

/// h(u) + sup over the domain of ∇h·t − m/2·‖t‖².
torch::Tensor CTransform::State::curvature_bound(int64_t begin, int64_t end, const CTransformValues& found) {
  const auto none = torch::full({end - begin}, kInfinite, x.options());
  if (!options.curvature() || !geometry.convexity) return none;
  const double m = found.strength * *geometry.convexity - *options.curvature();
  if (m <= 0 && !options.domain()) return none;
  const torch::AutoGradMode grad_on(true);
  auto u = found.u.clone().set_requires_grad(true);
  const auto h = quantity(u, y.slice(0, begin, end)) - found.strength * (*options.cost())(u, x.slice(0, begin, end));
  const auto slopes = torch::autograd::grad({h.sum()}, {u})[0];
  torch::NoGradGuard no_grad;
  if (!options.domain()) return (h + rows(slopes).pow(2).sum(1) / (2 * m)).nan_to_num(kInfinite);
  const auto down = low.slice(0, begin, end) - found.u, up = high.slice(0, begin, end) - found.u;
  const auto gain = [&](const torch::Tensor& t) { return slopes * t - m / 2 * t * t; };
  const auto most = m > 0 ? gain(torch::clamp(slopes / m, down, up)) : torch::maximum(gain(down), gain(up));
  return (h + rows(most).sum(1)).nan_to_num(kInfinite);
}

torch::Tensor CTransform::State::proved(int64_t begin, int64_t end, const CTransformValues& found) {
  auto bound = curvature_bound(begin, end, found);
  if (options.lipschitz()) {
    const auto gain = lipschitz_gain(geometry, *options.lipschitz(), found.strength, reach.slice(0, begin, end));
    bound = torch::minimum(bound, values.slice(0, begin, end) + gain);
  }
  bound = bound + kRoundingMargin * (1 + bound.abs());
  const auto excess = (found.estimated - bound).nan_to_num(0).max().item<double>();  // ∞ − ∞ proves nothing
  ARKS_CHECK(!(excess > 0), "certify: ascent found a value ", excess,
             " above the bound that the Lipschitz constant or the curvature proves: a constant, given or computed, is "
             "too small");
  return bound;
}

/// The results of all starts, in their order: x, random points, the warm start.
std::vector<CTransformValues> CTransform::State::batch(int64_t begin, int64_t end, double strength,
                                                       const torch::Tensor& warm) {
  const auto origin = x.slice(0, begin, end);
  std::vector<CTransformValues> results{ascend(begin, end, strength, {})};
  // a stream for each batch: what is drawn here does not depend on the strengths that were asked for before
  auto generator = make_generator(options.seed(), Stream::kAttack, static_cast<uint64_t>(begin));
  for (int64_t start = 1; start < options.starts(); ++start) {
    results.push_back(ascend(begin, end, strength, random_start(origin, results.front().u, strength, generator)));
  }
  if (warm.defined()) results.push_back(ascend(begin, end, strength, warm.slice(0, begin, end)));
  if (options.on_samples()) options.on_samples()(end - begin);
  return results;
}

namespace {

void take_better(CTransformValues& best, const CTransformValues& other) {
  const auto better = other.estimated > best.estimated;
  best.u = torch::where(per_sample(better, best.u), other.u, best.u);
  best.estimated = torch::where(better, other.estimated, best.estimated);
  best.quantity = torch::where(better, other.quantity, best.quantity);
  best.costs = torch::where(better, other.costs, best.costs);
}

CTransformValues joined(const std::vector<CTransformValues>& parts) {
  const auto all = [&](torch::Tensor CTransformValues::*member) {
    std::vector<torch::Tensor> tensors;
    for (const auto& part : parts) tensors.push_back(part.*member);
    return tensors.front().defined() ? torch::cat(tensors) : torch::Tensor();
  };
  return {parts.front().strength,           all(&CTransformValues::estimated), all(&CTransformValues::verified),
          all(&CTransformValues::quantity), all(&CTransformValues::costs),     all(&CTransformValues::u)};
}

void check_strength(double strength, const CTransformOptions& options) {
  ARKS_CHECK(std::isfinite(strength) && strength >= 0, "certify: the strength of the cost must be finite and not ",
             "negative, got ", strength);
  ARKS_CHECK(strength > 0 || options.domain(),
             "certify: an infinite temperature is the worst case over all u and needs a declared domain");
}

}  // namespace

CTransform::CTransform(Problem& problem, const Dataset& dataset, CTransformOptions options) {
  check(options);
  arks::check(options.ascent());
  state_ = std::make_unique<State>(problem, std::move(options));
  state_->take_samples(dataset);
  state_->look_at_samples();
}

CTransform::~CTransform() = default;

CTransformValues CTransform::at(double strength, const torch::Tensor& warm) {
  check_strength(strength, state_->options);
  std::vector<CTransformValues> parts;
  for (int64_t begin = 0; begin < samples(); begin += state_->options.batch_size()) {
    const auto end = std::min(begin + state_->options.batch_size(), samples());
    const auto results = state_->batch(begin, end, strength, warm);
    auto best = results.front();
    for (size_t i = 1; i < results.size(); ++i) take_better(best, results[i]);
    best.verified = state_->proved(begin, end, best);
    parts.push_back(std::move(best));
  }
  return joined(parts);
}

std::vector<CTransformValues> CTransform::from_each_start(double strength) {
  check_strength(strength, state_->options);
  std::vector<std::vector<CTransformValues>> parts(static_cast<size_t>(state_->options.starts()));
  for (int64_t begin = 0; begin < samples(); begin += state_->options.batch_size()) {
    const auto end = std::min(begin + state_->options.batch_size(), samples());
    const auto results = state_->batch(begin, end, strength, {});
    for (size_t start = 0; start < results.size(); ++start) parts[start].push_back(results[start]);
  }
  std::vector<CTransformValues> all;
  for (const auto& part : parts) all.push_back(joined(part));
  return all;
}

int64_t CTransform::samples() const {
  return state_->x.size(0);
}

const torch::Tensor& CTransform::inputs() const {
  return state_->x;
}

const torch::Tensor& CTransform::at_samples() const {
  return state_->values;
}

double CTransform::slope_at_samples() const {
  return state_->slope;
}

const CostGeometry& CTransform::geometry() const {
  return state_->geometry;
}

const CTransformOptions& CTransform::options() const {
  return state_->options;
}

torch::Tensor CTransform::lipschitz_bound(double strength) const {
  if (!state_->options.lipschitz()) return torch::full_like(state_->values, kInfinite);
  const auto bound =
      state_->values + lipschitz_gain(state_->geometry, *state_->options.lipschitz(), strength, state_->reach);
  return bound + kRoundingMargin * (1 + bound.abs());
}

}  // namespace arks
