#include "data/labels.h"

#include <algorithm>

namespace arks {

torch::Tensor labels_of(const Dataset& dataset) {
  constexpr int64_t kMost = 1024, kValues = int64_t{1} << 24;  // at once; of large images that is fewer samples
  const auto values = c10::multiply_integers(dataset.info().input_shape);
  const auto at_once = std::clamp(kValues / std::max<int64_t>(values, 1), int64_t{1}, kMost);
  std::vector<torch::Tensor> labels;
  for (int64_t first = 0; first < dataset.size(); first += at_once) {
    labels.push_back(dataset.get(torch::arange(first, std::min(first + at_once, dataset.size()))).targets);
  }
  return torch::cat(labels);
}

std::vector<int64_t> class_counts(const Dataset& dataset) {
  if (dataset.info().num_classes == 0) return {};
  const auto counts = torch::bincount(labels_of(dataset), {}, dataset.info().num_classes);
  return {counts.data_ptr<int64_t>(), counts.data_ptr<int64_t>() + counts.numel()};
}

std::vector<std::string> class_names_of(const DatasetInfo& info) {
  auto names = info.class_names;
  for (auto c = static_cast<int64_t>(names.size()); c < info.num_classes; ++c) names.push_back(std::to_string(c));
  return names;
}

}  // namespace arks
