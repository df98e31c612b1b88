#pragma once
#include <torch/types.h>

#include <optional>
#include <vector>

namespace arks {

/// What predictions of numbers are worth, one value for each of k targets.
struct RegressionMetrics {
  std::vector<double> mae;                ///< mean |prediction − target|, in the user's units
  std::vector<std::optional<double>> r2;  ///< 1 − Σ(z−y)²/Σ(y−ȳ)²; none where all targets are the same
};

/// predictions and targets [n] or [n,k]. `deviation` [k], where given, is what targets were divided by: errors are
/// multiplied by it, and so are those of the user's own numbers. R² has no unit.
RegressionMetrics regression_metrics(const torch::Tensor& predictions, const torch::Tensor& targets,
                                     const torch::Tensor& deviation = {});

}  // namespace arks
