#pragma once
#include <arks/attack/evaluation_point.h>
#include <arks/data/dataset.h>
#include <arks/problem/problem.h>

#include <optional>
#include <vector>

namespace arks {

/// What one model answers, row by row, and the numbers of a point that follow. Counts are summed over the repeats, AUC,
/// MAE and R² are means of theirs.
class Answers {
 public:
  Answers(Problem& problem, const DatasetInfo& info);
  /// `inputs` are those of the batch, attacked.
  void add(const torch::Tensor& inputs, const Batch& batch);
  /// All rows have been drawn once more.
  void end_repeat();
  /// The numbers of the point, whose repeats are known.
  void finish(EvaluationPoint& point) const;

 private:
  void judge(const torch::Tensor& predictions, const torch::Tensor& targets);
  void finish_groups(EvaluationPoint& point) const;
  void finish_metrics(EvaluationPoint& point) const;

  Problem& problem_;
  const DatasetInfo& info_;
  bool predicts_;
  std::vector<torch::Tensor> losses_, wrong_, predictions_, targets_;  // of the running repeat, by batches
  torch::Tensor row_losses_, row_errors_;                              // sums over the repeats before
  std::vector<torch::Tensor> groups_;                                  // by batches; of the first repeat
  std::optional<ClassificationMetrics> classes_;                       // likewise
  std::optional<RegressionMetrics> numbers_;
};

}  // namespace arks
