#include "metric/group_statistics.h"

#include <arks/support/error.h>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

/// [G]: the sum of each group's values.
torch::Tensor sums_of_groups(const torch::Tensor& values, const torch::Tensor& groups) {
  const auto [numbers, places] = at::_unique(groups, /*sorted=*/true, /*return_inverse=*/true);
  return torch::zeros({numbers.numel()}, torch::kDouble).index_add_(0, places, values);
}

void check_groups(const torch::Tensor& values, const torch::Tensor& groups) {
  ARKS_CHECK(values.dim() == 1 && values.sizes() == groups.sizes() && values.size(0) > 0,
             "groups: needs values and groups of the same rows [n >= 1], got ", values.sizes(), " and ",
             groups.sizes());
}

double t_quantile(double confidence, int64_t degrees) {
  return boost::math::quantile(boost::math::students_t(static_cast<double>(degrees)), (1 + confidence) / 2);
}

}  // namespace

int64_t group_count(const torch::Tensor& groups) {
  return std::get<0>(at::_unique(groups)).numel();
}

std::optional<double> group_variance(const torch::Tensor& values, const torch::Tensor& groups) {
  check_groups(values, groups);
  const auto exact = values.to(torch::kDouble);
  const auto sums = sums_of_groups(exact - exact.mean(), groups);
  const auto count = static_cast<double>(sums.numel()), n = static_cast<double>(values.size(0));
  if (count < 2) return std::nullopt;
  return count / (count - 1) * sums.square().sum().item<double>() / (n * n);
}

std::optional<Interval> group_interval(const torch::Tensor& rows, const torch::Tensor& groups, double confidence) {
  const auto variance = group_variance(rows, groups);
  if (!variance) return std::nullopt;
  const auto n = static_cast<double>(rows.size(0));
  const auto count = group_count(groups);
  const double p = std::clamp(rows.to(torch::kDouble).mean().item<double>(), 0.0, 1.0);
  auto effective = static_cast<double>(count);
  if (p > 0 && p < 1) {
    const double less_sure = t_quantile(confidence, rows.size(0) - 1) / t_quantile(confidence, count - 1);
    effective = *variance > 0 ? std::clamp(p * (1 - p) / *variance * less_sure * less_sure, 1.0, n) : n;
  }
  return fraction_interval(p * effective, effective, confidence);
}

PairedTest paired_group_test(const torch::Tensor& differences, const torch::Tensor& groups, double confidence) {
  const auto variance = group_variance(differences, groups);
  PairedTest result;
  result.test = "paired t of groups";
  result.difference = differences.to(torch::kDouble).mean().item<double>();
  constexpr double kRounding = 1e-12;
  const auto size = differences.abs().max().item<double>();
  const auto apart = (differences.to(torch::kDouble) - result.difference).abs().max().item<double>();
  // what rounding of the mean leaves is no spread, and of groups it may be none even where rows differ
  if (!variance || apart <= kRounding * size || std::sqrt(*variance) <= kRounding * size) return result;
  const double deviation = std::sqrt(*variance);
  const auto degrees = group_count(groups) - 1;
  const double reach = t_quantile(confidence, degrees) * deviation;
  result.interval = Interval{result.difference - reach, result.difference + reach};
  const boost::math::students_t student(static_cast<double>(degrees));
  result.p_value = 2 * boost::math::cdf(boost::math::complement(student, std::abs(result.difference) / deviation));
  return result;
}

}  // namespace arks
