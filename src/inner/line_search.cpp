#include "inner/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arks {

namespace {

constexpr double kArmijo = 1e-4;
constexpr double kCurvature = 0.9;
constexpr double kClearFall = 0.5;  // of the slope, where the value says nothing
constexpr int64_t kTrials = 15;
// a loss that grows without end must not take u out of the numbers in one search
constexpr int64_t kLengthenings = 6;
constexpr double kLeastGrowth = 2, kMostGrowth = 20;
constexpr double kBlindGrowth = 4;                   // where φ bends upwards, and no secant says where its top is
constexpr double kLeastPart = 0.1, kMostPart = 0.5;  // of the way left, when a trial was too long

}  // namespace

void LineSearch::begin(double value, double slope, double length, bool curved, double resolution) {
  value_ = low_value_ = value;
  slope_ = low_slope_ = slope;
  curved_ = curved;
  resolution_ = resolution;
  low_ = 0;
  high_ = std::numeric_limits<double>::infinity();
  length_ = length;
  trials_ = lengthenings_ = 0;
  unclear_ = not_finite_ = false;
}

bool LineSearch::passes(double value, double promised) {
  // rounding alone is no excuse for a step that promised more: it may have gone to the other side of the hill
  unclear_ = promised <= resolution_ && std::abs(value - value_) <= resolution_;
  return promised > 0 && (unclear_ || value >= value_ + kArmijo * promised);
}

double LineSearch::between(double high_value) const {
  const double way = high_ - low_;
  // the top of the parabola with the value and slope at the lower end and the value at the upper one
  const double top = low_slope_ * way / (2 * (low_value_ + low_slope_ * way - high_value));
  return low_ + way * (top < kMostPart ? std::max(top, kLeastPart) : kMostPart);
}

LineSearch::Verdict LineSearch::reject(double value) {
  not_finite_ = !std::isfinite(value);
  if (not_finite_) unclear_ = false;
  high_ = length_;
  if (unclear_ || ++trials_ == kTrials) return give_up();
  length_ = not_finite_ ? low_ + kLeastPart * (high_ - low_) : between(value);
  return Verdict::kShorter;
}

LineSearch::Verdict LineSearch::judge(double value, double slope) {
  const bool too_short = slope > kCurvature * slope_;
  // a length that rests on curvature and changes neither value nor slope: there is nothing left but rounding
  if (unclear_ && (curved_ || !too_short)) {
    return std::abs(slope) <= kClearFall * slope_ ? Verdict::kAccept : reject(value);
  }
  if (!too_short) return Verdict::kAccept;
  const bool bracketed = std::isfinite(high_);
  if (++trials_ == kTrials || (!bracketed && ++lengthenings_ > kLengthenings)) return Verdict::kAccept;
  const double fall = (low_slope_ - slope) / (length_ - low_);
  const double growth = fall > 0 ? std::clamp(1 + slope / fall / length_, kLeastGrowth, kMostGrowth) : kBlindGrowth;
  low_ = length_;
  low_value_ = value;
  low_slope_ = slope;
  length_ = bracketed ? (low_ + high_) / 2 : growth * length_;
  return Verdict::kLonger;
}

}  // namespace arks
