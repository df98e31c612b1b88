#include "attack/answers.h"

#include "metric/group_statistics.h"
#include "problem/state_guard.h"

#include <arks/problem/supervised.h>

#include <cmath>
#include <typeinfo>

namespace arks {

namespace {

void add_rows(torch::Tensor& rows, std::vector<torch::Tensor>& batches) {
  if (batches.empty()) return;
  const auto all = torch::cat(batches);
  rows = rows.defined() ? rows + all : all;
  batches.clear();
}

/// None as soon as one repeat has none, as where a draw made a score NaN: a mean over the others would be of less.
void add_number(std::optional<double>& sum, const std::optional<double>& more) {
  sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
}

void add_metrics(std::optional<ClassificationMetrics>& sum, ClassificationMetrics more) {
  if (!sum) {
    sum = std::move(more);
    return;
  }
  for (size_t i = 0; i < sum->confusion.size(); ++i) {
    for (size_t j = 0; j < sum->confusion.size(); ++j) sum->confusion[i][j] += more.confusion[i][j];
  }
  add_number(sum->auc, more.auc);
}

void add_metrics(std::optional<RegressionMetrics>& sum, RegressionMetrics more) {
  if (!sum) {
    sum = std::move(more);
    return;
  }
  for (size_t i = 0; i < sum->mae.size(); ++i) {
    sum->mae[i] += more.mae[i];
    add_number(sum->r2[i], more.r2[i]);
  }
}

}  // namespace

Answers::Answers(Problem& problem, const DatasetInfo& info)
    // exactly this class: one derived from it may evaluate in its own way
    : problem_(problem), info_(info), predicts_(typeid(problem) == typeid(SupervisedProblem)) {}

void Answers::add(const torch::Tensor& inputs, const Batch& batch) {
  const auto& targets = batch.targets;
  if (batch.marks.groups.defined() && !row_losses_.defined()) groups_.push_back(batch.marks.groups);
  torch::NoGradGuard no_grad;
  const ModeGuard eval(problem_, /*training=*/false);
  Evaluation evaluation;
  if (predicts_) {
    predictions_.push_back(problem_.predict(inputs));
    targets_.push_back(targets);
    evaluation = problem_.evaluate_prediction(predictions_.back(), targets);
  } else {
    evaluation = problem_.evaluate(inputs, targets);
  }
  losses_.push_back(evaluation.loss.to(torch::kDouble));
  if (evaluation.wrong.defined()) wrong_.push_back(evaluation.wrong.to(torch::kDouble));
}

void Answers::end_repeat() {
  add_rows(row_losses_, losses_);
  add_rows(row_errors_, wrong_);
  if (!predicts_) return;
  judge(torch::cat(predictions_), torch::cat(targets_));
  predictions_.clear();
  targets_.clear();
}

void Answers::judge(const torch::Tensor& predictions, const torch::Tensor& targets) {
  if (problem_.has_classes()) {
    add_metrics(classes_, classification_metrics(predictions, targets));
  } else if (targets.is_floating_point() && predictions.numel() == targets.numel()) {
    add_metrics(numbers_, regression_metrics(predictions, targets, info_.target_deviation));
  }
}

void Answers::finish(EvaluationPoint& point) const {
  const auto draws = static_cast<double>(point.repeats);
  point.n = row_losses_.size(0);
  point.row_losses = row_losses_ / draws;
  point.loss = point.row_losses.mean().item<double>();
  finish_groups(point);
  point.errors = -1;
  if (row_errors_.defined()) {
    point.errors = std::llround(row_errors_.sum().item<double>());
    point.error = static_cast<double>(point.errors) / (static_cast<double>(point.n) * draws);
    point.row_errors = row_errors_ / draws;
    const auto& groups = point.row_groups;
    point.error_interval =
        groups.defined() ? group_interval(point.row_errors, groups) : row_interval(point.row_errors, point.repeats);
  }
  finish_metrics(point);
}

void Answers::finish_groups(EvaluationPoint& point) const {
  if (groups_.empty()) {
    if (point.n > 1) point.loss_standard_error = standard_error(point.row_losses);
    return;
  }
  point.row_groups = torch::cat(groups_);
  point.groups = group_count(point.row_groups);
  if (const auto variance = group_variance(point.row_losses, point.row_groups)) {
    point.loss_standard_error = std::sqrt(*variance);
  }
}

void Answers::finish_metrics(EvaluationPoint& point) const {
  const auto draws = static_cast<double>(point.repeats);
  point.classification = classes_;
  point.regression = numbers_;
  if (auto& classes = point.classification) {
    classes->balanced_accuracy = balanced_accuracy(classes->confusion);
    if (classes->auc) *classes->auc /= draws;
  }
  if (auto& numbers = point.regression) {
    for (auto& mae : numbers->mae) mae /= draws;
    for (auto& r2 : numbers->r2) {
      if (r2) *r2 /= draws;
    }
  }
}

}  // namespace arks
