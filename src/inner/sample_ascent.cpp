#include "inner/sample_ascent.h"

#include <algorithm>
#include <limits>

namespace arks {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool all_finite(const double* values, int64_t size) {
  return std::all_of(values, values + size, [](double value) { return std::isfinite(value); });
}

/// Largest |entry|; NaN where any entry is.
double largest(const std::vector<double>& values) {
  double found = 0;
  for (const double value : values) {
    if (!(std::abs(value) <= found)) found = std::abs(value);
    if (std::isnan(found)) break;
  }
  return found;
}

double sum_of_sizes(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  return sum;
}

}  // namespace

SampleAscent::SampleAscent(const AscentOptions& options, int64_t dimension)
    : options_(options),
      dimension_(dimension),
      pairs_(options.history(), dimension),
      direction_(static_cast<size_t>(dimension)),
      free_(static_cast<size_t>(dimension), 1.0) {}

void SampleAscent::trial(double* u) const {
  const double length = search_.length();
  for (size_t j = 0; j < direction_.size(); ++j) u[j] = here_.u[j] + length * direction_[j];
}

bool SampleAscent::look(const double* u, const Figures& found) {
  trial_.u.assign(u, u + dimension_);
  trial_.figures = found;
  // a bounded loss can be finite where u no longer is
  const bool finite = std::isfinite(found.value) && all_finite(u, dimension_);
  if (!begun_) {
    keep(trial_);
    if (!finite) finish(Termination::kNotFinite);
    if (options_.steps() == 0) finish(Termination::kStepLimit);
    return !done_;
  }
  if (finite && options_.returned() == InnerReturn::kBest && found.value > kept_figures_.value) keep(trial_);
  double promised = 0;
  for (int64_t j = 0; j < dimension_; ++j) promised += here_.gradient[j] * (u[j] - here_.u[j]);
  if (finite && search_.passes(found.value, promised)) return true;
  obey(search_.reject(finite ? found.value : kNone));
  return false;
}

void SampleAscent::climb(const double* gradient, const double* followable, double resolution) {
  trial_.gradient.assign(gradient, gradient + dimension_);
  trial_.followable.assign(followable, followable + dimension_);
  trial_.resolution = resolution;
  if (!begun_) {
    begun_ = true;
    std::swap(here_, trial_);
    begin_step();
  } else if (all_finite(gradient, dimension_)) {
    const double slope = dot(followable, direction_.data(), dimension_);
    obey(search_.judge(trial_.figures.value, slope));
  } else {
    obey(search_.reject(kNone));
  }
}

void SampleAscent::keep(const Place& place) {
  kept_ = place.u;
  kept_figures_ = place.figures;
}

void SampleAscent::finish(Termination why) {
  if (done_) return;
  done_ = true;
  termination_ = why;
}

void SampleAscent::obey(LineSearch::Verdict verdict) {
  switch (verdict) {
    case LineSearch::Verdict::kAccept:
      return arrive(trial_);
    case LineSearch::Verdict::kEarlier:
      return arrive(earlier_);
    case LineSearch::Verdict::kLonger:
      return std::swap(earlier_, trial_);
    case LineSearch::Verdict::kShorter:
      return;
    case LineSearch::Verdict::kFailed:
      break;
  }
  if (pairs_.empty() || search_.unclear()) {
    return finish(search_.not_finite() ? Termination::kNotFinite : Termination::kNoProgress);
  }
  // the curvature met so far misled it: once more along the gradient
  pairs_.clear();
  begin_search();
}

void SampleAscent::arrive(Place& next) {
  pairs_.add(here_.u.data(), here_.gradient.data(), next.u.data(), next.gradient.data());
  std::swap(here_, next);
  ++steps_;
  if (options_.returned() == InnerReturn::kLast) keep(here_);
  begin_step();
}

void SampleAscent::begin_step() {
  const double steepest = largest(here_.gradient), steepest_followable = largest(here_.followable);
  if (!std::isfinite(steepest)) return finish(Termination::kNotFinite);
  if (steepest == 0) return finish(Termination::kZeroGradient);
  if (options_.tolerance() > 0 && steepest_followable <= options_.tolerance()) {
    return finish(Termination::kGradientTolerance);
  }
  if (steps_ == options_.steps()) return finish(Termination::kStepLimit);
  begin_search();
}

void SampleAscent::begin_search() {
  // coordinates that the edge of the set holds back: quasi-Newton steps across them need not be ascent
  for (size_t j = 0; j < free_.size(); ++j) {
    free_[j] = here_.followable[j] == 0 && here_.gradient[j] != 0 ? 0.0 : 1.0;
  }
  const auto& gradient = here_.followable;
  int64_t pairs = pairs_.direction(gradient.data(), free_.data(), direction_.data());
  double slope = dot(gradient.data(), direction_.data(), dimension_);
  if (pairs > 0 && !(slope > 0 && std::isfinite(slope))) {
    pairs_.clear();
    pairs = 0;
    direction_ = gradient;
    slope = dot(gradient.data(), gradient.data(), dimension_);
  }
  if (!(slope > 0)) return finish(Termination::kNoProgress);
  double length = options_.learning_rate();
  if (options_.learning_rate_decay()) length /= std::sqrt(static_cast<double>(steps_ + 1));
  // without curvature nothing is known of the scale: no further than 1 in the L1 norm
  if (pairs == 0) length *= std::min(1.0, 1 / sum_of_sizes(gradient));
  search_.begin(here_.figures.value, slope, length, pairs > 0, here_.resolution);
}

}  // namespace arks
