#include "strength_search.h"

#include "attained_curve.h"
#include "numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arks {

namespace {

constexpr size_t kKept = 6;          // maximisers; each is a copy of the samples
constexpr double kLargestStep = 16;  // between strengths, as a factor

double log_ratio(double a, double b) {
  return std::abs(std::log(a / b));
}

/// argmin over log λ of a convex function by golden section.
double smallest_at(const std::function<double(double)>& f, double low, double high) {
  constexpr double kGolden = 0.6180339887498949;
  double a = std::log(low), b = std::log(high);
  for (int step = 0; step < 80; ++step) {
    const double left = b - kGolden * (b - a), right = a + kGolden * (b - a);
    if (f(std::exp(left)) <= f(std::exp(right))) {
      b = right;
    } else {
      a = left;
    }
  }
  return std::exp((a + b) / 2);
}

}  // namespace

StrengthSearch::StrengthSearch(CTransform& transform, std::optional<std::pair<double, double>> range)
    : transform_(transform), range_(range) {}

double StrengthSearch::mean(const torch::Tensor& values) const {
  return (range_ ? values.clamp(range_->first, range_->second) : values).mean().item<double>();
}

double StrengthSearch::log_mean_exp(const torch::Tensor& values) const {
  const auto clipped = range_ ? values.clamp(range_->first, range_->second) : values;
  return clipped.logsumexp(0).item<double>() - std::log(static_cast<double>(clipped.size(0)));
}

torch::Tensor StrengthSearch::warm_start(double strength) const {
  if (strength == 0) return maximisers_.empty() ? torch::Tensor() : maximisers_.back().second;
  torch::Tensor nearest;
  double distance = kInfinite;
  for (const auto& [other, u] : maximisers_) {
    if (other > 0 && log_ratio(other, strength) < distance) {
      distance = log_ratio(other, strength);
      nearest = u;
    }
  }
  return nearest;
}

void StrengthSearch::take_better(StrengthRecord& record, const torch::Tensor& quantities,
                                 const torch::Tensor& costs) const {
  if (record.quantities.defined()) {
    // a value that is not finite compares as not better
    const auto better = quantities - record.strength * costs > record.quantities - record.strength * record.costs;
    record.quantities = torch::where(better, quantities, record.quantities);
    record.costs = torch::where(better, costs, record.costs);
  } else {
    record.quantities = quantities;
    record.costs = costs;
  }
  const auto estimates = record.quantities - record.strength * record.costs;
  record.estimated = mean(estimates);
  record.estimated_paper = log_mean_exp(estimates);
  record.moved = record.costs.mean().item<double>();
  record.value = mean(record.quantities);
}

const StrengthRecord& StrengthSearch::evaluate(double strength) {
  const auto place = std::lower_bound(records_.begin(), records_.end(), strength,
                                      [](const StrengthRecord& record, double s) { return record.strength < s; });
  if (place != records_.end() && place->strength == strength) return *place;
  const auto found = transform_.at(strength, warm_start(strength));
  maximisers_.emplace_back(strength, found.u);
  if (maximisers_.size() > kKept) maximisers_.pop_front();
  StrengthRecord record;
  record.strength = strength;
  take_better(record, found.quantity, found.costs);
  for (auto& other : records_) {
    take_better(record, other.quantities, other.costs);
    take_better(other, found.quantity, found.costs);
  }
  // decided before the values are clipped to a range, which would make a number of what is none
  const bool proved = found.verified.isfinite().all().item<bool>();
  record.verified = proved ? mean(found.verified) : kInfinite;
  record.verified_paper = proved ? log_mean_exp(found.verified) : kInfinite;
  return *records_.insert(place, record);
}

std::vector<AttainedPoint> StrengthSearch::attained() const {
  std::vector<AttainedPoint> points{{0, mean(transform_.at_samples())}};
  for (const auto& record : records_) {
    if (std::isfinite(record.moved) && std::isfinite(record.value)) points.push_back({record.moved, record.value});
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const AttainedPoint& a, const AttainedPoint& b) { return a.rho < b.rho; });
  return points;
}

/// Where slope·d pays for the cost of a move as dear as rho.
double StrengthSearch::first_guess(double rho) const {
  const double slope = transform_.slope_at_samples();
  if (slope == 0) return 1;
  const auto& geometry = transform_.geometry();
  if (geometry.quadratic) return slope / std::sqrt(2 * *geometry.quadratic * rho);
  if (geometry.linear) return slope / *geometry.linear;
  return slope;
}

/// The next strength to try, between the last that moves the samples by rho or more and the first that moves them less.
/// `moved` is about a power of the strength, so the bracket is divided in logarithms; where it jumps, which a loss that
/// is not concave can make it do, the two tangents of mean Λ + rho·strength meet at the smallest value.
double StrengthSearch::propose(double rho, bool by_tangents) const {
  if (records_.empty()) return first_guess(rho);
  const auto less = std::find_if(records_.begin(), records_.end(), [&](const auto& r) { return r.moved < rho; });
  if (less == records_.begin()) {
    const double guess = less->moved > 0 ? 0.9 * std::sqrt(less->moved / rho) : 0;
    return less->strength * std::max(guess, 1 / kLargestStep);
  }
  const auto& more = *std::prev(less);
  if (less == records_.end()) {
    const double guess = std::isfinite(more.moved) ? 1.1 * std::sqrt(more.moved / rho) : kLargestStep;
    return more.strength == 0 ? first_guess(rho) : more.strength * std::min(guess, kLargestStep);
  }
  if (more.strength == 0) return less->strength / kLargestStep;
  const double width = std::log(less->strength / more.strength);
  double share = 0.5;
  if (by_tangents && std::isfinite(more.moved) && std::isfinite(more.estimated)) {
    const double meet = (less->estimated - more.estimated - more.moved * more.strength + less->moved * less->strength) /
                        (less->moved - more.moved);
    if (meet > more.strength && meet < less->strength) share = std::log(meet / more.strength) / width;
  } else if (less->moved > 0 && std::isfinite(more.moved)) {
    share = std::log(more.moved / rho) / std::log(more.moved / less->moved);
  }
  return more.strength * std::exp(width * std::clamp(share, 0.02, 0.98));
}

void StrengthSearch::refine(double rho, int64_t most, double tolerance) {
  for (int64_t step = 0; step < most; ++step) {
    double line = kInfinite;
    for (const auto& record : records_) line = std::min(line, record.estimated + rho * record.strength);
    const double gap = line - attained_within(attained(), rho);
    if (std::isfinite(line) && gap <= tolerance * (1 + std::abs(line))) return;
    const double next = propose(rho, step % 2 == 1);
    if (!(next > std::numeric_limits<double>::min()) || !std::isfinite(next)) return;
    evaluate(next);
  }
}

/// The best one over all of space; on a domain only a first guess.
double StrengthSearch::lipschitz_strength(double rho) const {
  const double slope = *transform_.options().lipschitz();
  const auto& geometry = transform_.geometry();
  if (geometry.quadratic) return slope / std::sqrt(2 * *geometry.quadratic * rho);
  // a hair above, where the bound is finite beyond rounding
  if (geometry.linear) return slope / *geometry.linear * (1 + 1e-12);
  return slope;
}

StrengthRecord StrengthSearch::best_lipschitz(double rho) const {
  StrengthRecord record;
  record.estimated = record.estimated_paper = kInfinite;
  const auto bound = [&](double strength) { return mean(transform_.lipschitz_bound(strength)); };
  const auto line = [&](double strength) { return bound(strength) + rho * strength; };
  record.strength = lipschitz_strength(rho);
  if (transform_.options().domain()) {
    const double around = record.strength > 0 ? record.strength : 1;
    for (const double strength : {0.0, smallest_at(line, around * 1e-6, around * 1e6)}) {
      if (line(strength) < line(record.strength)) record.strength = strength;
    }
  }
  record.verified = bound(record.strength);
  record.verified_paper = log_mean_exp(transform_.lipschitz_bound(record.strength));
  return record;
}

}  // namespace arks
