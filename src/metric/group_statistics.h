#pragma once
// Statistics of samples that come in groups: rows of one patient, images of one machine. They are alike, so there is
// less to learn from n of them than from n that have nothing to do with each other.
#include <arks/metric/intervals.h>
#include <arks/metric/paired_test.h>

#include <cstdint>
#include <optional>

namespace arks {

/// How many groups there are. groups [n] int64
int64_t group_count(const torch::Tensor& groups);

/// Variance of the mean of values [n] when whole groups are drawn, none for fewer than two of them:
///   V = G/(G−1) · Σ_g (Σ_{i in g} (value_i − mean))² / n²
/// (the "linearised" variance of a ratio; Cochran, "Sampling Techniques", 1977, 9A). Groups of one row each give s²/n.
std::optional<double> group_variance(const torch::Tensor& values, const torch::Tensor& groups);

/// row_interval() of rows in groups: the effective number of samples is
///   n* = p(1−p)/V · (t(n−1)/t(G−1))²,   1 ≤ n* ≤ n,
/// t(d) the quantile 1 − α/2 of Student's t with d degrees of freedom, since V of few groups is itself uncertain (Korn
/// and Graubard, 1998). Where all rows are right, or all wrong, V says nothing, and n* is the number of groups. None
/// for fewer than two groups.
std::optional<Interval> group_interval(const torch::Tensor& rows, const torch::Tensor& groups,
                                       double confidence = kConfidence);

/// Student's t of paired differences [n] of rows in groups, with deviation √V and G−1 degrees of freedom. No interval
/// and no p-value for fewer than two groups, and where all differences are the same.
PairedTest paired_group_test(const torch::Tensor& differences, const torch::Tensor& groups,
                             double confidence = kConfidence);

}  // namespace arks
