#pragma once
#include <torch/types.h>

#include <string>

namespace arks {

/// The range input values must lie in: one for all of them, or one per feature.
class Bounds {
 public:
  /// 0 to 1.
  Bounds() = default;
  /// One range for all values.
  Bounds(double low, double high) : low_(low), high_(high) {}
  /// One range per feature: both tensors of the shape of one sample, where a dimension may be 1 to hold for all along
  /// it, or flat with one entry per feature. Throws Error when they are empty or their shapes differ.
  Bounds(const torch::Tensor& low, const torch::Tensor& high);

  bool per_feature() const { return lows_.defined(); }
  /// The ends of the range; of ranges per feature the smallest low and the largest high.
  double low() const { return low_; }
  double high() const { return high_; }
  /// The ends as they were given, float64; without dimensions where there is one range for all.
  torch::Tensor lows() const;
  torch::Tensor highs() const;

  /// Every value moved to the nearest one in its range, u [n,...] → [n,...]. Throws Error when ranges per feature do
  /// not fit the samples.
  torch::Tensor clamp(const torch::Tensor& u) const;

  /// low + fraction·(high − low) in the range of every value, fraction [n,...] → [n,...].
  torch::Tensor at(const torch::Tensor& fraction) const;

  /// The entries of a gradient at u [n,...] that do not point out of the range from its edge; the others are zero.
  torch::Tensor followable(const torch::Tensor& gradient, const torch::Tensor& u) const;

 private:
  double low_ = 0, high_ = 1;
  torch::Tensor lows_, highs_;  // float64, defined only for ranges per feature
};

/// "[0, 1]", or one range per feature, "[0, 1] x [-5, 5]"; the first ten of many.
std::string to_string(const Bounds& bounds);

/// Throws Error when the ends are not finite or low < high does not hold. A feature of its own range may have low =
/// high, which holds it still.
void check(const Bounds& bounds);

/// Throws Error when samples x [n,...] have values outside the bounds or NaN, with the span of x and the range, of the
/// first feature that is out where each has its own; `what` names x. The ends are compared as x stores them: 0.1 in
/// float32 lies within 0 to 0.1.
void check_within(const Bounds& bounds, const torch::Tensor& x, const std::string& what);

/// What is left of a gradient [n,...] at u when no step may lead below `low` or above `high`, which are numbers or
/// tensors that broadcast.
template <typename Edge>
torch::Tensor followable_between(const Edge& low, const Edge& high, const torch::Tensor& gradient,
                                 const torch::Tensor& u) {
  return gradient.masked_fill(((u <= low) & (gradient < 0)) | ((u >= high) & (gradient > 0)), 0);
}

}  // namespace arks
