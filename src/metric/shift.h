#pragma once
// How two sets of samples differ: column by column, and as a whole.
#include "data/column_cells.h"
#include "data/far_numbers.h"
#include "data/guard_advice.h"
#include "metric/column_tests.h"
#include "metric/mmd_two_sample.h"
#include "metric/transport.h"

#include <arks/data/load.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace arks {

constexpr double kSignificant = 0.05;  ///< adjusted p-values below are called a drift

/// A column in both sets. Of numbers there are mean and deviation, tested by Kolmogorov and Smirnov, and by those that
/// lie outside (arks::outside_test); of categories shares, tested by χ² (category_test).
struct ColumnShift {
  ColumnCells one, two;
  std::optional<double> mean_one, mean_two, deviation_one, deviation_two;
  /// Numbers: of the means, in deviations of the first. Categories: the part of the rows that would have to change
  /// theirs, half the sum of the differences of the shares. None where a side has no cells, or one value only.
  std::optional<double> difference;
  std::optional<TwoSampleTest> test;  ///< none where a side has no cells
  double p_adjusted = 1;              ///< for as many tests as there are, of cells and of missing ones (holm_adjusted),
                                      ///< and for that of all inputs after adjust_together
  std::optional<TwoSampleTest> missing_test;  ///< whether as many cells are missing; none where none is on either side
  double missing_p_adjusted = 1;
  std::optional<TwoSampleTest> outside_test;  ///< of numbers: how many lie outside the range of the first
  double outside_p_adjusted = 1;
  FarNumbers far;      ///< of the second, where the range is that of the first
  int64_t unseen = 0;  ///< cells of the second with a category that the first does not have

  bool is_number() const { return one.kind == ColumnKind::kNumber || one.kind == ColumnKind::kDate; }
  bool drifted() const { return smallest_p() < kSignificant; }
  double smallest_p() const { return std::min({p_adjusted, missing_p_adjusted, outside_p_adjusted}); }
  /// That it drifted is seen by the missing cells and not, or less, by the others.
  bool drifted_by_missing() const { return drifted() && missing_p_adjusted < std::min(p_adjusted, outside_p_adjusted); }
  /// By the numbers outside and not, or less, by all of them.
  bool drifted_by_outside() const { return drifted() && !drifted_by_missing() && outside_p_adjusted < p_adjusted; }
};

/// The same columns of both, in order.
std::vector<ColumnShift> compare_columns(std::vector<ColumnCells> one, std::vector<ColumnCells> two);

/// Both sets as a model sees them.
struct SampleShift {
  MmdTwoSample mmd;
  int64_t mmd_samples_one = 0, mmd_samples_two = 0;  ///< drawn at random where there are more
  TransportEstimate transport;
  double p_adjusted = 1;  ///< of the MMD: alone as it is, and after adjust_together for the tests of columns

  bool found() const { return p_adjusted < kSignificant; }
};

/// All samples, or as many of them at random as memory holds easily. Always the same.
Batch samples_to_compare(const Dataset& samples);
/// Of all of a file: where it was divided, the parts together.
Batch samples_to_compare(const DataSplits& splits);

/// x [m,...] and z [n,...] with m, n ≥ 2. Always draws the same.
SampleShift compare_samples(const torch::Tensor& x, const torch::Tensor& z);

/// Adjusts the p-values of all columns and of all inputs together as one family, by Holm's method with weights: half of
/// the level is for all inputs. So where nothing drifts, a drift is found in either with probability kSignificant at
/// most.
void adjust_together(std::vector<ColumnShift>& columns, SampleShift& all_inputs);

/// The reach of a guard that covers the shift; of length 0 where sampling explains it. `blind_loss` is that of the
/// first set.
GuardReach covering(const SampleShift& shift, double blind_loss);

}  // namespace arks
