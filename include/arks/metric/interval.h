#pragma once
#include <torch/types.h>

#include <cstdint>

namespace arks {

/// A range that holds the true value in 95 of 100 experiments like this one.
struct Interval {
  double low = 0, high = 0;
};

/// The error rate behind `errors` of n independent samples, by Wilson's score interval,
///   (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n),   p = errors/n, z = 1.96;
/// within [0,1] also for no errors at all (Wilson 1927). Throws Error unless 0 ≤ errors ≤ n and n > 0.
Interval error_interval(int64_t errors, int64_t n);

/// A mean and how well it is known.
struct MeanDifference {
  double mean = 0;
  Interval interval;
};

/// Two models on the same samples: the mean of d = a − b [n], where a and b are errors (0 or 1), or losses, or means of
/// them over several seeds, sample by sample. What is hard for both cancels, so that this says more than two intervals
/// side by side:
///   m ± 1.96·√(v/(n+2)),   m, v the mean and variance of the n differences with +1 and −1 added to them,
/// so that it has a width even where all differences happen to be zero (Bonett and Price 2012). The mean that is given
/// is that of the n differences alone. Throws Error for fewer than two samples or shapes that differ.
MeanDifference paired_difference(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace arks
