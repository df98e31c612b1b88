#include "data/guard_advice.h"

#include "support/samples.h"

#include <arks/support/error.h>
#include <arks/support/random.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace arks {

namespace {

constexpr int64_t kMostSamples = 2000, kFewestSamples = 100;
constexpr double kMostProducts = 4e9;  // of all pairs: a quarter of a second on two cores
constexpr double kUsualPart = 0.25;    // of how far samples are apart that differ
constexpr double kLeastPart = 0.1;     // of the distance to the nearest other sample

/// The same for every seed of a training, so that runs of one search have the same default.
torch::Tensor some_samples(int64_t count, int64_t inputs) {
  auto most = static_cast<int64_t>(std::sqrt(kMostProducts / static_cast<double>(inputs)));
  most = std::min(kMostSamples, std::max(kFewestSamples, most));
  auto generator = make_generator(0, Stream::kSamples);
  return some_numbers(count, most, generator);
}

/// [n,n]. By a matrix product, a hundred times faster than by differences; medians do not need the digits of very small
/// distances that this loses.
torch::Tensor squared_distances(const torch::Tensor& x) {
  const auto squares = (x * x).sum(1);
  auto squared = squares.unsqueeze(1) + squares.unsqueeze(0) - 2 * x.mm(x.t());
  const double lost = 1e-13 * squares.max().item<double>();
  return squared.masked_fill_(squared <= lost, 0);
}

/// [n,n] bool: which samples should be predicted differently.
torch::Tensor others(const torch::Tensor& targets, bool classes) {
  if (classes) return targets.unsqueeze(1) != targets.unsqueeze(0);
  const auto y = rows(targets.to(torch::kDouble));
  const double variance = blind_loss(targets, 0);
  return squared_distances(y - y.mean(0)) > variance;
}

/// [n]: the squared distances to the nearest samples that are allowed; infinite where there is none.
torch::Tensor nearest_squares(const torch::Tensor& squared, const torch::Tensor& allowed) {
  return squared.masked_fill(allowed.logical_not(), std::numeric_limits<double>::infinity()).amin(1);
}

/// Of those that are finite; 0 where none is.
double median_length(const torch::Tensor& squares) {
  const auto found = squares.masked_select(squares.isfinite());
  return found.numel() == 0 ? 0 : std::sqrt(std::max(0.0, found.median().item<double>()));
}

}  // namespace

double GuardReach::sigma() const {
  return two_digits(length);
}

std::optional<double> GuardReach::gamma(const std::string& cost) const {
  const double per_square = blind_loss / (2 * length * length);
  if (cost == "sq-l2") return two_digits(per_square);
  if (cost == "half-sq-l2") return two_digits(2 * per_square);
  return std::nullopt;
}

double GuardReach::length_of_gamma(double gamma, const std::string& cost) const {
  return std::sqrt(blind_loss / ((cost == "half-sq-l2" ? 1 : 2) * gamma));
}

double GuardReach::eps(const std::string& norm) const {
  return two_digits(norm == "linf" ? single : length);
}

double GuardReach::length_of_eps(double eps, const std::string& norm, int64_t inputs) {
  return norm == "linf" ? eps * std::sqrt(static_cast<double>(inputs)) : eps;
}

std::optional<double> GuardScale::covering(const GuardReach& reach) const {
  switch (kind_) {
    case Kind::kSigma:
      return reach.sigma();
    case Kind::kGamma:
      return reach.gamma(measure_);
    case Kind::kEps:
      return reach.eps(measure_);
  }
  return std::nullopt;
}

double GuardScale::length_of(double strength, const GuardReach& like, int64_t inputs) const {
  switch (kind_) {
    case Kind::kSigma:
      return strength;
    case Kind::kGamma:
      return like.length_of_gamma(strength, measure_);
    case Kind::kEps:
      return GuardReach::length_of_eps(strength, measure_, inputs);
  }
  return strength;
}

std::pair<double, double> GuardAdvice::sensible(const GuardScale& scale) const {
  const double one = scale.covering(reach_of(weakest())).value_or(0);
  const double two = scale.covering(reach_of(strongest())).value_or(0);
  return {one, two};
}

GuardReach GuardAdvice::reach_of(double length) const {
  auto like = reach.value_or(GuardReach());
  like.length = length;
  like.single = length / std::sqrt(static_cast<double>(inputs));
  return like;
}

double blind_loss(const torch::Tensor& targets, int64_t num_classes) {
  if (num_classes == 0) return rows(targets.to(torch::kDouble)).var(0, /*unbiased=*/false).sum().item<double>();
  const auto counts = targets.bincount({}, num_classes).to(torch::kDouble);
  const auto shares = counts.masked_select(counts > 0) / counts.sum();
  return -(shares * shares.log()).sum().item<double>();
}

torch::Tensor blind_losses(const torch::Tensor& targets, const torch::Tensor& learned, int64_t num_classes) {
  if (num_classes == 0) {
    const auto mean = rows(learned.to(torch::kDouble)).mean(0);
    return (rows(targets.to(torch::kDouble)) - mean).square().sum(1);
  }
  const auto asked = targets.bincount({}, num_classes).gt(0);
  const auto counts = learned.bincount({}, num_classes).maximum(asked.to(torch::kLong)).to(torch::kDouble);
  return -(counts / counts.sum()).log().index_select(0, targets);
}

double two_digits(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 1);
  // divided by a power of ten where there is one: 0.07 and not 0.07000000000000001
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit) : std::round(value / unit) * unit;
}

GuardAdvice advise_guard(const Dataset& train_set) {
  const auto& info = train_set.info();
  GuardAdvice advice;
  advice.classes = info.num_classes > 0;
  advice.inputs = 1;
  for (const int64_t size : info.input_shape) advice.inputs *= size;
  const auto batch = train_set.get(some_samples(train_set.size(), advice.inputs));
  advice.samples = batch.inputs.size(0);
  const auto inputs = rows(batch.inputs.to(torch::kDouble));
  const auto squared = squared_distances(inputs - inputs.mean(0));
  const auto itself = torch::eye(advice.samples, torch::kBool), other = others(batch.targets, advice.classes);
  const auto to_other = nearest_squares(squared, other),
             to_alike = nearest_squares(squared, other.logical_or(itself).logical_not());
  advice.other = median_length(to_other);
  advice.alike = median_length(to_alike);
  advice.apart = std::max(median_length(to_other - to_alike), kLeastPart * advice.other);
  advice.mixed = (to_other < to_alike).to(torch::kDouble).mean().item<double>();
  if (!(advice.other > 0)) {
    const char* kind = advice.classes ? "of another class" : "with a different target";
    advice.why_not = c10::str("the nearest samples ", kind, " are not apart from each other");
    return advice;
  }
  GuardReach reach;
  reach.length = kUsualPart * advice.apart;
  reach.single = reach.length / std::sqrt(static_cast<double>(advice.inputs));
  reach.blind_loss = blind_loss(batch.targets, info.num_classes);
  advice.reach = reach;
  return advice;
}

}  // namespace arks
