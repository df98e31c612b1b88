#include "problem/predictions.h"

#include "data/scale.h"

#include <algorithm>

namespace arks {

torch::Tensor predictions_of(const torch::Tensor& outputs, const DatasetInfo& info) {
  if (info.num_classes > 0) return outputs.softmax(1);
  const auto scale = target_scale(info);
  return outputs * scale.deviation + scale.mean;
}

std::vector<int> digits_of_predictions(const DatasetInfo& info, int64_t outputs) {
  constexpr int kOfFloat32 = 9, kMost = 17;
  if (info.num_classes > 0) return std::vector<int>(static_cast<size_t>(outputs), kOfFloat32);
  const auto scale = target_scale(info);
  const auto larger = ((scale.mean / scale.deviation).abs() + 1).log10().ceil().flatten().expand({outputs});
  std::vector<int> digits;
  for (int64_t c = 0; c < outputs; ++c) digits.push_back(std::min(kMost, kOfFloat32 + larger[c].item<int>()));
  return digits;
}

}  // namespace arks
