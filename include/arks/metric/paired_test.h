#pragma once
#include <arks/metric/intervals.h>

#include <optional>
#include <string>

namespace arks {

/// Two models on the same rows: the second minus the first.
struct PairedTest {
  std::string test;                  ///< "mcnemar", "paired t", "sign" or "paired t of groups"
  double difference = 0;             ///< of the means; negative: the second is better
  std::optional<Interval> interval;  ///< of the difference, 95 %; none where it cannot be told
  std::optional<double> p_value;     ///< two-sided, of "there is no difference"; none for a single row
};

/// Of errors, wrong or not, [n] bool each. The exact test of McNemar ("Note on the sampling error of the difference
/// between correlated proportions", 1947): of the rows on which just one model is wrong, each is so on half if there is
/// no difference; p = min(1, 2·P(Bin(b+c, ½) ≤ min(b, c))). The interval belongs to that test: the difference is
/// q·(2π − 1), q the fraction of rows on which just one is wrong, π the part of these on which it is the second; both
/// have limits by Clopper and Pearson (fraction_interval), and the products furthest apart are the ends. So it leaves
/// out 0 just when p < 1 − confidence; it is wider than needed.
PairedTest mcnemar_test(const torch::Tensor& first_wrong, const torch::Tensor& second_wrong,
                        double confidence = kConfidence);

/// Of numbers such as errors averaged over draws, [n] each: Student's t on the differences of the rows. Where all rows
/// differ by the same, there is no spread to tell an interval from: then the sign test, p = min(1, 2·2⁻ⁿ), or 1 where
/// no row differs, without an interval.
PairedTest paired_t_test(const torch::Tensor& first, const torch::Tensor& second, double confidence = kConfidence);

/// Second minus first, [n] float64, of losses l that models computed in float32: a difference of at most 10⁻⁴·√(l·mean
/// l), or 10⁻⁵·scale, is rounding and counts as 0; l is the larger loss of the row. `scale` 1 is for cross entropies,
/// which are differences of logits and so have an absolute rounding; 0 for squared errors.
torch::Tensor loss_differences(const torch::Tensor& first, const torch::Tensor& second, double scale = 0);

/// Student's t on these differences.
PairedTest paired_loss_test(const torch::Tensor& first, const torch::Tensor& second, double scale = 0,
                            double confidence = kConfidence);

}  // namespace arks
