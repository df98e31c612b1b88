#include <arks/metric/paired_test.h>
#include <arks/support/error.h>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

void check_rows(const torch::Tensor& first, const torch::Tensor& second) {
  ARKS_CHECK(first.dim() == 1 && first.sizes() == second.sizes() && first.size(0) > 0,
             "paired test: needs the same rows [n >= 1] twice, got ", first.sizes(), " and ", second.sizes());
}

/// Of q·(2π − 1), from the limits of the fraction q of rows that differ and of the part π of them that speaks against
/// the second.
Interval difference_interval(double against_second, double apart, double n, double confidence) {
  const auto differ = fraction_interval(apart, n, confidence);
  const auto part = apart > 0 ? fraction_interval(against_second, apart, confidence) : Interval{0, 1};
  const double low = 2 * part.low - 1, high = 2 * part.high - 1;
  return {low * (low < 0 ? differ.high : differ.low), high * (high > 0 ? differ.high : differ.low)};
}

}  // namespace

PairedTest mcnemar_test(const torch::Tensor& first_wrong, const torch::Tensor& second_wrong, double confidence) {
  check_rows(first_wrong, second_wrong);
  const auto one = first_wrong.to(torch::kBool), two = second_wrong.to(torch::kBool);
  const auto only_first = one.logical_and(two.logical_not()).sum().item<double>();
  const auto only_second = two.logical_and(one.logical_not()).sum().item<double>();
  const auto n = static_cast<double>(one.size(0));
  PairedTest result;
  result.test = "mcnemar";
  result.difference = (only_second - only_first) / n;
  const double apart = only_first + only_second;
  result.p_value = 1;
  if (apart > 0) {
    const boost::math::binomial coin(apart, 0.5);
    result.p_value = std::min(1.0, 2 * boost::math::cdf(coin, std::min(only_first, only_second)));
  }
  result.interval = difference_interval(only_second, apart, n, confidence);
  return result;
}

namespace {

/// The same difference on every row has no spread that an interval could be made of.
PairedTest sign_test(double difference, int64_t n) {
  PairedTest result;
  result.test = "sign";
  result.difference = difference;
  result.p_value = difference == 0 ? 1 : std::min(1.0, std::pow(2.0, 1.0 - static_cast<double>(n)));
  return result;
}

/// `size` is that of the numbers whose differences they are.
PairedTest t_test(const torch::Tensor& differences, double size, double confidence) {
  constexpr double kRounding = 1e-12;
  PairedTest result;
  result.test = "paired t";
  result.difference = differences.mean().item<double>();
  const double deviation = standard_error(differences);
  if (!std::isfinite(deviation)) return result;
  const auto apart = (differences - result.difference).abs().max().item<double>();
  if (apart <= kRounding * size) return sign_test(result.difference, differences.size(0));
  const boost::math::students_t student(static_cast<double>(differences.size(0) - 1));
  const double reach = boost::math::quantile(student, (1 + confidence) / 2) * deviation;
  result.interval = Interval{result.difference - reach, result.difference + reach};
  result.p_value = 2 * boost::math::cdf(boost::math::complement(student, std::abs(result.difference) / deviation));
  return result;
}

}  // namespace

PairedTest paired_t_test(const torch::Tensor& first, const torch::Tensor& second, double confidence) {
  check_rows(first, second);
  const auto one = first.to(torch::kDouble), two = second.to(torch::kDouble);
  return t_test(two - one, torch::maximum(one.abs(), two.abs()).max().item<double>(), confidence);
}

torch::Tensor loss_differences(const torch::Tensor& first, const torch::Tensor& second, double scale) {
  check_rows(first, second);
  const auto one = first.to(torch::kDouble), two = second.to(torch::kDouble);
  const auto larger = torch::maximum(one.abs(), two.abs());
  const auto rounding = (1e-4 * (larger * larger.mean()).sqrt()).clamp_min(1e-5 * scale);
  const auto differences = two - one;
  return differences.masked_fill(differences.abs() <= rounding, 0);
}

PairedTest paired_loss_test(const torch::Tensor& first, const torch::Tensor& second, double scale, double confidence) {
  const double largest = torch::maximum(first.abs(), second.abs()).max().item<double>();
  return t_test(loss_differences(first, second, scale), largest, confidence);
}

}  // namespace arks
