#include <arks/data/bounds.h>

#include "support/samples.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace arks {

namespace {

/// The number that `value` becomes in a tensor of this type.
double as_stored(double value, torch::ScalarType type) {
  return type == torch::kFloat ? static_cast<double>(static_cast<float>(value)) : value;
}

/// "feature 3", or "feature [0, 3, 4]" for samples of several dimensions; counted from 0.
std::string feature_name(int64_t position, torch::IntArrayRef shape) {
  if (shape.size() <= 1) return c10::str("feature ", position, " (counted from 0)");
  std::vector<int64_t> index(shape.size());
  for (size_t i = shape.size(); i-- > 0; position /= shape[i]) index[i] = position % shape[i];
  return c10::str("feature ", torch::IntArrayRef(index), " (counted from 0)");
}

void check_features_within(const Bounds& bounds, const torch::Tensor& x, const std::string& what) {
  const auto lows = per_feature(bounds.lows(), x, "bounds").expand_as(x.slice(0, 0, 1)).flatten();
  const auto highs = per_feature(bounds.highs(), x, "bounds").expand_as(x.slice(0, 0, 1)).flatten();
  const auto least = x.amin(0).flatten(), most = x.amax(0).flatten();  // NaN where any value is
  const auto out = (least >= lows).logical_and(most <= highs).logical_not().nonzero().flatten();
  if (out.numel() == 0) return;
  const auto j = out[0].item<int64_t>();
  const auto at = [j](const torch::Tensor& values) { return values[j].item<double>(); };
  throw Error(c10::str(what, " are outside the given range: ", feature_name(j, x.sizes().slice(1)), " spans [",
                       at(least), ", ", at(most), "], but its range is [", at(lows), ", ", at(highs),
                       "]; scale it or give a wider range"));
}

}  // namespace

Bounds::Bounds(const torch::Tensor& low, const torch::Tensor& high) {
  ARKS_CHECK(low.defined() && high.defined() && low.numel() > 0, "bounds: the ranges per feature are empty");
  ARKS_CHECK(low.sizes() == high.sizes(), "bounds: low has shape ", low.sizes(), ", high ", high.sizes(),
             "; both need one value per feature");
  lows_ = low.detach().to(torch::kDouble).clone();
  highs_ = high.detach().to(torch::kDouble).clone();
  low_ = lows_.min().item<double>();
  high_ = highs_.max().item<double>();
}

torch::Tensor Bounds::lows() const {
  return per_feature() ? lows_ : torch::tensor(low_, torch::kDouble);
}

torch::Tensor Bounds::highs() const {
  return per_feature() ? highs_ : torch::tensor(high_, torch::kDouble);
}

torch::Tensor Bounds::clamp(const torch::Tensor& u) const {
  if (!per_feature()) return u.clamp(low_, high_);
  return u.clamp(arks::per_feature(lows_, u, "bounds"), arks::per_feature(highs_, u, "bounds"));
}

torch::Tensor Bounds::at(const torch::Tensor& fraction) const {
  if (!per_feature()) return low_ + fraction * (high_ - low_);
  const auto low = arks::per_feature(lows_, fraction, "bounds");
  return low + fraction * (arks::per_feature(highs_, fraction, "bounds") - low);
}

torch::Tensor Bounds::followable(const torch::Tensor& gradient, const torch::Tensor& u) const {
  if (!per_feature()) return followable_between(low_, high_, gradient, u);
  return followable_between(arks::per_feature(lows_, u, "bounds"), arks::per_feature(highs_, u, "bounds"), gradient, u);
}

std::string to_string(const Bounds& bounds) {
  constexpr int64_t kMost = 10;
  const auto lows = bounds.lows().flatten(), highs = bounds.highs().flatten();
  std::vector<std::string> ranges;
  for (int64_t j = 0; j < std::min(lows.size(0), kMost); ++j) {
    ranges.push_back("[" + shortest(lows[j].item<double>()) + ", " + shortest(highs[j].item<double>()) + "]");
  }
  return join(ranges, " x ") + (lows.size(0) > kMost ? c10::str(" x ... (", lows.size(0), " features)") : "");
}

void check(const Bounds& bounds) {
  if (!bounds.per_feature()) {
    ARKS_CHECK(std::isfinite(bounds.low()) && std::isfinite(bounds.high()) && bounds.low() < bounds.high(),
               "bounds: need low < high, got ", bounds.low(), ",", bounds.high());
    return;
  }
  const auto lows = bounds.lows().flatten(), highs = bounds.highs().flatten();
  const auto good = lows.isfinite().logical_and(highs.isfinite()).logical_and(lows <= highs);
  const auto bad = good.logical_not().nonzero().flatten();
  if (bad.numel() == 0) return;
  const auto j = bad[0].item<int64_t>();
  throw Error(c10::str("bounds: need low <= high in every feature, got ", lows[j].item<double>(), ",",
                       highs[j].item<double>(), " for ", feature_name(j, bounds.lows().sizes())));
}

void check_within(const Bounds& bounds, const torch::Tensor& x, const std::string& what) {
  if (x.numel() == 0) return;
  const auto values = x.is_floating_point() ? x.detach() : x.to(torch::kDouble);
  if (bounds.per_feature()) return check_features_within(bounds, values, what);
  const auto [low, high] = torch::aminmax(values);
  const double least = low.item<double>(), most = high.item<double>();
  const auto type = values.scalar_type();
  // NaN compares as false, so it is caught as well
  const bool inside = least >= as_stored(bounds.low(), type) && most <= as_stored(bounds.high(), type);
  ARKS_CHECK(inside, what, " are outside the given range [", bounds.low(), ", ", bounds.high(), "]: they span [", least,
             ", ", most, "]; scale them or give a wider range");
}

}  // namespace arks
