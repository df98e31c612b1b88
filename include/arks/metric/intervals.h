#pragma once
#include <torch/types.h>

#include <cstdint>

namespace arks {

/// From low to high, both included.
struct Interval {
  double low = 0, high = 0;
};

/// The level of every interval that the tool prints.
constexpr double kConfidence = 0.95;

/// A fraction and where the true one lies, by Clopper and Pearson, "The use of confidence or fiducial limits", 1934:
///   low = B(α/2; k, n−k+1),  high = B(1−α/2; k+1, n−k)
/// with the quantiles B of the beta distribution. It holds at least as often as it says, also for few samples and for a
/// fraction of 0 or 1. `count` and `n` need not be whole, see row_interval(); 0 ≤ count ≤ n, n > 0.
Interval fraction_interval(double count, double n, double confidence = kConfidence);

/// The same where every row was drawn several times: rows [n] are the means of each, in [0,1]. Draws of one row are
/// alike, so they do not count as samples of their own. The number of samples is the effective one,
///   n* = p(1−p)·n² / Σ (row − p)²,   n ≤ n* ≤ n·draws,
/// which is n where every row is 0 or 1 (one draw, or all alike) and n·draws where draws are independent. Korn and
/// Graubard, "Confidence intervals for proportions with small expected number of positive counts", 1998.
Interval row_interval(const torch::Tensor& rows, int64_t draws, double confidence = kConfidence);

/// Of the mean of rows [n]: s/√n with s² = Σ (row − mean)²/(n−1). NaN for fewer than two rows.
double standard_error(const torch::Tensor& rows);

}  // namespace arks
