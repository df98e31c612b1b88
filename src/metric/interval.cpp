#include <arks/metric/interval.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks {

namespace {

constexpr double kNormalQuantile = 1.959963984540054;  // 97.5 %

}  // namespace

Interval error_interval(int64_t errors, int64_t n) {
  ARKS_CHECK(n > 0 && errors >= 0 && errors <= n, "interval of an error: ", errors, " errors of ", n, " samples");
  const double z = kNormalQuantile, count = static_cast<double>(n), p = static_cast<double>(errors) / count;
  const double middle = p + z * z / (2 * count);
  const double half = z * std::sqrt(p * (1 - p) / count + z * z / (4 * count * count));
  const double scale = 1 + z * z / count;
  return {std::max(0.0, (middle - half) / scale), std::min(1.0, (middle + half) / scale)};
}

MeanDifference paired_difference(const torch::Tensor& a, const torch::Tensor& b) {
  ARKS_CHECK(a.dim() == 1 && a.sizes() == b.sizes() && a.size(0) > 1,
             "paired difference: two lists of the same length, at least 2, were expected, got shapes ", a.sizes(),
             " and ", b.sizes());
  const auto d = a.to(torch::kDouble) - b.to(torch::kDouble);
  const auto n = static_cast<double>(d.size(0));
  const double sum = d.sum().item<double>(), squares = d.square().sum().item<double>();
  // Bonett and Price: one more difference of +1 and one of −1
  const double centre = sum / (n + 2);
  const double half = kNormalQuantile * std::sqrt(((squares + 2) / (n + 2) - centre * centre) / (n + 2));
  return {sum / n, {centre - half, centre + half}};
}

}  // namespace arks
