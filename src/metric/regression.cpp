#include <arks/metric/regression.h>
#include <arks/support/error.h>

namespace arks {

RegressionMetrics regression_metrics(const torch::Tensor& predictions, const torch::Tensor& targets,
                                     const torch::Tensor& deviation) {
  ARKS_CHECK(targets.dim() > 0 && targets.size(0) > 0 && predictions.numel() == targets.numel(),
             "regression metrics: predictions and targets must be as many, got ", predictions.sizes(), " and ",
             targets.sizes());
  const auto y = targets.to(torch::kDouble).reshape({targets.size(0), -1});
  const auto errors = predictions.to(torch::kDouble).reshape(y.sizes()) - y;
  auto mae = errors.abs().mean(0);
  if (deviation.defined()) mae = mae * deviation.to(torch::kDouble).reshape({-1});
  const auto left = errors.square().sum(0), all = (y - y.mean(0)).square().sum(0);
  RegressionMetrics metrics;
  for (int64_t i = 0; i < y.size(1); ++i) {
    metrics.mae.push_back(mae[i].item<double>());
    const double spread = all[i].item<double>();
    metrics.r2.push_back(spread > 0 ? std::optional(1 - left[i].item<double>() / spread) : std::nullopt);
  }
  return metrics;
}

}  // namespace arks
