#include <arks/metric/classification.h>
#include <arks/support/error.h>

namespace arks {

std::vector<std::vector<int64_t>> confusion_matrix(const torch::Tensor& logits, const torch::Tensor& labels) {
  ARKS_CHECK(logits.dim() == 2 && labels.dim() == 1 && labels.size(0) == logits.size(0),
             "confusion matrix: needs logits [n,classes] and labels [n], got ", logits.sizes(), " and ",
             labels.sizes());
  const int64_t classes = logits.size(1);
  const auto cells = torch::bincount(labels * classes + logits.argmax(1), {}, classes * classes).contiguous();
  const auto* count = cells.data_ptr<int64_t>();
  std::vector<std::vector<int64_t>> rows;
  for (int64_t i = 0; i < classes; ++i) rows.emplace_back(count + i * classes, count + (i + 1) * classes);
  return rows;
}

double balanced_accuracy(const std::vector<std::vector<int64_t>>& confusion) {
  double recalls = 0, classes = 0;
  for (size_t i = 0; i < confusion.size(); ++i) {
    int64_t samples = 0;
    for (const auto count : confusion[i]) samples += count;
    if (samples == 0) continue;
    recalls += static_cast<double>(confusion[i][i]) / static_cast<double>(samples);
    ++classes;
  }
  ARKS_CHECK(classes > 0, "balanced accuracy: there are no samples");
  return recalls / classes;
}

std::optional<double> area_under_curve(const torch::Tensor& scores, const torch::Tensor& positive) {
  const auto positives = positive.sum().item<double>(), negatives = static_cast<double>(positive.numel()) - positives;
  if (positives == 0 || negatives == 0 || scores.isnan().any().item<bool>()) return std::nullopt;  // NaN has no rank
  // ranks from 1; samples with the same score share the middle of theirs
  const auto [values, place, counts] = torch::_unique2(scores, /*sorted=*/true, /*return_inverse=*/true,
                                                       /*return_counts=*/true);
  const auto size = counts.to(torch::kDouble);
  const auto ranks = (size.cumsum(0) - (size - 1) / 2).index({place});
  const double sum = ranks.index({positive}).sum().item<double>();
  return (sum - positives * (positives + 1) / 2) / (positives * negatives);
}

namespace {

/// ln p/(1 − p) of the probability p of a class, which does not end at p = 1. Sorted, so that equal ones tie.
torch::Tensor log_odds(const torch::Tensor& logits, int64_t of_class) {
  const int64_t after = logits.size(1) - of_class - 1;
  const auto others = torch::cat({logits.narrow(1, 0, of_class), logits.narrow(1, of_class + 1, after)}, 1);
  return -std::get<0>((others - logits.narrow(1, of_class, 1)).sort(1)).logsumexp(1);
}

}  // namespace

std::optional<double> class_auc(const torch::Tensor& logits, const torch::Tensor& labels) {
  const auto exact = logits.to(torch::kDouble);
  if (logits.size(1) == 2) return area_under_curve(exact.select(1, 1) - exact.select(1, 0), labels == 1);
  double sum = 0, classes = 0;
  for (int64_t i = 0; i < logits.size(1); ++i) {
    const auto area = area_under_curve(log_odds(exact, i), labels == i);
    if (!area) continue;
    sum += *area;
    ++classes;
  }
  return classes > 0 ? std::optional(sum / classes) : std::nullopt;
}

ClassificationMetrics classification_metrics(const torch::Tensor& logits, const torch::Tensor& labels) {
  ClassificationMetrics metrics;
  metrics.confusion = confusion_matrix(logits, labels);
  metrics.balanced_accuracy = balanced_accuracy(metrics.confusion);
  metrics.auc = class_auc(logits, labels);
  return metrics;
}

}  // namespace arks
