#include "report/csv_field.h"
#include "report/evaluation_report.h"
#include "support/text.h"

#include <algorithm>

namespace arks {

namespace {

std::string text_of(const std::optional<double>& value) {
  return value ? shortest(*value) : "";
}

/// How many targets the points have; 0 where they are classes.
size_t targets_of(const EvaluationReport& report) {
  for (const auto& point : report.points) {
    if (point.regression) return point.regression->mae.size();
  }
  return 0;
}

/// "mae", "r2", of several targets "mae:price", "r2:price", "mae:area", …
std::vector<std::string> target_headers(const EvaluationReport& report) {
  const auto targets = targets_of(report);
  if (targets < 2) return {"mae", "r2"};
  std::vector<std::string> headers;
  for (size_t i = 0; i < targets; ++i) {
    const auto name = i < report.target_names.size() ? report.target_names[i] : std::to_string(i);
    headers.insert(headers.end(), {"mae:" + name, "r2:" + name});
  }
  return headers;
}

std::vector<std::string> target_fields(const EvaluationPoint& point, const EvaluationReport& report) {
  const auto& numbers = point.regression;
  std::vector<std::string> fields;
  for (size_t i = 0; i < std::max<size_t>(1, targets_of(report)); ++i) {
    const bool has = numbers && i < numbers->mae.size();
    fields.insert(fields.end(), {has ? shortest(numbers->mae[i]) : "", has ? text_of(numbers->r2[i]) : ""});
  }
  return fields;
}

/// Null for the first model, which is what the others are compared with.
const PairedTest* comparison_of(const EvaluationPoint& point, const EvaluationReport& report) {
  const std::string quantity = point.errors >= 0 ? "error" : "loss";
  const auto fits = [&](const ModelComparison& one) {
    return one.second == point.model && one.attack == point.attack && one.source == point.source &&
           one.data == point.data && one.eps == point.eps && one.quantity == quantity;
  };
  const auto found = std::find_if(report.comparisons.begin(), report.comparisons.end(), fits);
  return found == report.comparisons.end() ? nullptr : &found->result;
}

std::string errors_per_draw(const EvaluationPoint& point) {
  return shortest(static_cast<double>(point.errors) / static_cast<double>(point.repeats));
}

std::string line(const EvaluationPoint& point, const EvaluationReport& report) {
  const bool has_errors = point.errors >= 0;
  const auto& interval = point.error_interval;
  const auto& classes = point.classification;
  std::vector<std::string> fields = {point.model,
                                     point.attack,
                                     point.norm,
                                     shortest(point.eps),
                                     point.source,
                                     std::to_string(point.n),
                                     has_errors ? errors_per_draw(point) : "",
                                     has_errors ? shortest(point.error) : "",
                                     shortest(point.loss),
                                     shortest(point.seconds),
                                     std::to_string(point.zero_gradients),
                                     point.data,
                                     std::to_string(point.repeats),
                                     interval ? shortest(interval->low) : "",
                                     interval ? shortest(interval->high) : "",
                                     text_of(point.loss_standard_error),
                                     classes ? shortest(classes->balanced_accuracy) : "",
                                     classes ? text_of(classes->auc) : ""};
  for (auto& field : target_fields(point, report)) fields.push_back(std::move(field));
  const auto* const test = comparison_of(point, report);
  const bool has_interval = test != nullptr && test->interval;
  fields.push_back(test != nullptr ? shortest(test->difference) : "");
  fields.push_back(has_interval ? shortest(test->interval->low) : "");
  fields.push_back(has_interval ? shortest(test->interval->high) : "");
  fields.push_back(test != nullptr ? text_of(test->p_value) : "");
  fields.push_back(std::to_string(point.groups));
  return csv_line(fields);
}

}  // namespace

std::string csv_report(const EvaluationReport& report) {
  std::vector<std::string> headers{"model",
                                   "attack",
                                   "norm",
                                   "eps",
                                   "source",
                                   "n",
                                   "errors",
                                   "error",
                                   "loss",
                                   "seconds",
                                   "zero_gradients",
                                   "data",
                                   "repeats",
                                   "error_low",
                                   "error_high",
                                   "loss_standard_error",
                                   "balanced_accuracy",
                                   "auc"};
  for (auto& name : target_headers(report)) headers.push_back(std::move(name));
  headers.insert(headers.end(), {"difference", "difference_low", "difference_high", "p_value", "groups"});
  auto text = csv_line(headers);
  for (const auto& point : report.points) text += line(point, report);
  return text;
}

}  // namespace arks
