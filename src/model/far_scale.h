#pragma once
#include <torch/types.h>

namespace arks {

/// Whether a mean is a thousand deviations or more, as of points in time: then float32 would round away much of what
/// the numbers differ in, and they are scaled in float64.
inline bool is_far(const torch::Tensor& mean, const torch::Tensor& deviation) {
  constexpr double kFar = 1000;
  return (mean.to(torch::kDouble) / deviation.to(torch::kDouble)).abs().max().item<double>() >= kFar;
}

}  // namespace arks
