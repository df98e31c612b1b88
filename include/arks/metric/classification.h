#pragma once
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace arks {

/// What predictions of classes are worth beside the error. NaN logits stand where argmax puts them.
struct ClassificationMetrics {
  std::vector<std::vector<int64_t>> confusion;  ///< [true class][predicted class], counts
  double balanced_accuracy = 0;                 ///< mean recall of the classes that occur
  std::optional<double> auc;                    ///< none where only one class occurs
};

/// confusion[i][j]: samples of class i that were taken for j. logits [n,classes], labels [n] int64.
std::vector<std::vector<int64_t>> confusion_matrix(const torch::Tensor& logits, const torch::Tensor& labels);

/// (1/c) Σ recall over the c classes that have samples.
double balanced_accuracy(const std::vector<std::vector<int64_t>>& confusion);

/// Area under the ROC curve: how often a positive sample has a higher score than a negative one, ties counting half
/// (Mann and Whitney). scores [n], positive [n] bool. None without samples of both kinds.
std::optional<double> area_under_curve(const torch::Tensor& scores, const torch::Tensor& positive);

/// Of two classes by the probability of the second; of more the mean of one against the rest, over the classes that
/// have samples and leave some (macro). Samples are ranked by the log odds, logit − ln Σ exp(other logits), which still
/// differ where probabilities have been rounded to 1.
std::optional<double> class_auc(const torch::Tensor& logits, const torch::Tensor& labels);

ClassificationMetrics classification_metrics(const torch::Tensor& logits, const torch::Tensor& labels);

}  // namespace arks
