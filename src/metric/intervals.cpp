#include <arks/metric/intervals.h>
#include <arks/support/error.h>
#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace arks {

Interval fraction_interval(double count, double n, double confidence) {
  ARKS_CHECK(n > 0 && count >= 0 && count <= n, "interval: needs 0 <= count <= n and n > 0, got ", count, " of ", n);
  ARKS_CHECK(confidence > 0 && confidence < 1, "interval: confidence must be above 0 and below 1, got ", confidence);
  const double tail = (1 - confidence) / 2, rest = n - count;
  return {count > 0 ? boost::math::ibeta_inv(count, rest + 1, tail) : 0,
          rest > 0 ? boost::math::ibeta_inv(count + 1, rest, 1 - tail) : 1};
}

Interval row_interval(const torch::Tensor& rows, int64_t draws, double confidence) {
  ARKS_CHECK(rows.dim() == 1 && rows.size(0) > 0 && draws > 0, "interval: needs rows [n >= 1] and draws >= 1, got ",
             rows.sizes(), " and ", draws);
  const auto values = rows.to(torch::kDouble);
  const auto n = static_cast<double>(rows.size(0));
  const double p = std::clamp(values.mean().item<double>(), 0.0, 1.0);
  const double scatter = (values - p).square().sum().item<double>();
  const double most = n * static_cast<double>(draws);
  double effective = n;
  if (p > 0 && p < 1) effective = scatter > 0 ? std::clamp(p * (1 - p) * n * n / scatter, n, most) : most;
  return fraction_interval(p * effective, effective, confidence);
}

double standard_error(const torch::Tensor& rows) {
  if (rows.numel() < 2) return std::numeric_limits<double>::quiet_NaN();
  return rows.to(torch::kDouble).std(/*unbiased=*/true).item<double>() / std::sqrt(static_cast<double>(rows.numel()));
}

}  // namespace arks
