#include "data/targets.h"

#include "data/column_values.h"
#include "data/csv.h"
#include "data/float32_range.h"
#include "data/npy.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace arks {

namespace {

/// Class numbers in the order of the values, and the names of the classes.
template <typename Value, typename Name>
Targets number_classes(const std::vector<Value>& values, const Name& name, const TargetNames& names) {
  std::map<Value, int64_t> classes;
  for (const auto& value : values) classes.emplace(value, 0);
  Targets targets;
  for (auto& [value, number] : classes) {
    number = static_cast<int64_t>(targets.class_names.size());
    targets.class_names.push_back(name(value));
  }
  ARKS_CHECK(classes.size() >= 2, names.data, ": the target '", names.target, "' holds only one class, '",
             targets.class_names.front(), "'; classification needs at least two");
  std::vector<int64_t> labels;
  labels.reserve(values.size());
  for (const auto& value : values) labels.push_back(classes.at(value));
  targets.values = torch::tensor(labels, torch::kLong);
  return targets;
}

/// 1 and 0 for True and False, in any case, and for the numbers; none for anything else.
std::optional<double> truth_of(const std::string& name) {
  if (const auto flag = to_flag(name)) return flag;
  const auto number = plain_number(name, '.');
  return number == 0.0 || number == 1.0 ? number : std::nullopt;
}

/// The classes as True and False, which programs write in several ways; none where they are anything else.
std::map<double, int64_t> truths_of(const std::vector<std::string>& class_names) {
  std::map<double, int64_t> classes;
  for (const auto& name : class_names) {
    const auto truth = truth_of(name);
    if (!truth) return {};
    classes.emplace(*truth, static_cast<int64_t>(classes.size()));
  }
  return classes;
}

/// The numbers that the classes have in another set.
template <typename Value, typename Name>
Targets known_classes(const std::vector<Value>& values, const Name& name, const TargetNames& names,
                      const Targets& like) {
  std::map<std::string, int64_t> known;
  for (const auto& class_name : like.class_names) known.emplace(class_name, static_cast<int64_t>(known.size()));
  const auto truths = truths_of(like.class_names);
  const auto number_of = [&](const std::string& text) {
    if (const auto same = known.find(text); same != known.end()) return same->second;
    const auto truth = truth_of(text);
    const auto alike = truth ? truths.find(*truth) : truths.end();
    ARKS_CHECK(alike != truths.end(), names.data, ": the class '", text.substr(0, 40), "' of the target '",
               names.target, "' is not in the training data", did_you_mean(text, like.class_names));
    return alike->second;
  };
  std::map<Value, int64_t> classes;  // texts are made once for each value
  std::vector<int64_t> labels;
  labels.reserve(values.size());
  for (const auto& value : values) {
    auto found = classes.find(value);
    if (found == classes.end()) found = classes.emplace(value, number_of(name(value))).first;
    labels.push_back(found->second);
  }
  return {torch::tensor(labels, torch::kLong), like.class_names};
}

}  // namespace

std::string to_string(Task task) {
  return task == Task::kClassification ? "classification" : "regression";
}

Task parse_task(const std::string& name) {
  return named_value<Task>(name, task_names(), "task");
}

std::vector<std::string> task_names() {
  return {"classification", "regression"};
}

bool looks_like_classes(const torch::Tensor& numbers) {
  if (!numbers.equal(numbers.round())) return false;
  return std::get<0>(torch::_unique2(numbers)).numel() <= kMostClassesFound;
}

Targets number_targets(const torch::Tensor& numbers, std::optional<Task> task, const TargetNames& names,
                       const Targets* like) {
  const int64_t count = numbers.dim() > 1 ? numbers.size(1) : 1;
  if (like != nullptr) {
    task = like->class_names.empty() ? Task::kRegression : Task::kClassification;
    ARKS_CHECK(count == like->numbers, names.data, ": the target '", names.target, "' has ", count,
               count == 1 ? " number" : " numbers", " for each row; in training it had ", like->numbers);
  }
  if (count > 1) {
    ARKS_CHECK(task.value_or(Task::kRegression) == Task::kRegression, names.data, ": the target '", names.target,
               "' has ", count,
               " numbers for each row; classes have one, so save numpy's argmax(axis=1) if a row has one 1");
    return {numbers, {}, count};
  }
  if (task.value_or(looks_like_classes(numbers) ? Task::kClassification : Task::kRegression) == Task::kRegression) {
    return {numbers, {}};
  }
  const auto* begin = numbers.data_ptr<double>();
  const std::vector<double> values(begin, begin + numbers.numel());
  return like != nullptr ? known_classes(values, shortest, names, *like) : number_classes(values, shortest, names);
}

Targets text_targets(const std::vector<std::string>& texts, const TargetNames& names, const Targets* like) {
  const auto itself = [](const std::string& text) { return text; };
  return like != nullptr ? known_classes(texts, itself, names, *like) : number_classes(texts, itself, names);
}

bool has_text_classes(const Targets& targets) {
  const auto numeric = [](const std::string& name) { return is_number(name); };
  return !std::all_of(targets.class_names.begin(), targets.class_names.end(), numeric);
}

void check_number_of_classes(const Targets& targets, const TargetNames& names) {
  constexpr int64_t kFew = 20;
  constexpr int64_t kTiny = 4;  // rows of which nothing can be told
  const auto classes = static_cast<int64_t>(targets.class_names.size()), rows = targets.values.size(0);
  const bool all_differ = classes == rows && classes > kTiny;
  ARKS_CHECK(!all_differ && (classes <= kFew || 2 * classes <= rows), names.data, ": the target '", names.target,
             "' has ", classes, " classes in ", rows, " rows; is it the right column? --target names it",
             has_text_classes(targets) ? "" : ", --task regression predicts numbers");
}

torch::Tensor read_npy_targets(const std::string& targets, const std::string& inputs, int64_t count,
                               const std::string& flag) {
  ARKS_CHECK(!targets.empty(), inputs, " holds the inputs; the targets are needed too, in a second .npy file (", flag,
             ")");
  const auto y = read_npy(targets);
  ARKS_CHECK(y.dim() == 1 || y.dim() == 2, targets, ": targets must have shape [n] or [n, outputs], got ", y.sizes(),
             "; the samples of ", inputs, " need ", flag, " of shape [", count, "], or [", count, ", outputs]");
  const auto& shape = read_npy_header(inputs).shape;
  const bool transposed = shape.size() == 2 && shape[1] == y.size(0);
  ARKS_CHECK(y.size(0) == count, inputs, " has ", count, " rows but ", targets, " has ", y.size(0), "; ",
             transposed ? c10::str("samples lie along the first dimension, and ", inputs, " has shape ",
                                   c10::IntArrayRef(shape), ": save it transposed, so that the first is ", y.size(0))
                        : c10::str(flag, " needs one row for each of the samples"));
  check_finite(y, targets);
  return y.dim() == 2 && y.size(1) > 1 ? y.to(torch::kDouble) : y.to(torch::kDouble).flatten();
}

std::string one_hot_note(const Targets& targets, const std::string& file) {
  if (targets.numbers < 2) return "";
  const auto& values = targets.values;
  const bool one_hot = values.mul(values - 1).eq(0).all().item<bool>() && values.sum(1).eq(1).all().item<bool>();
  if (!one_hot) return "";
  return c10::str("each row of ", file, " has one 1 among zeros: predicted as ", targets.numbers,
                  " numbers; if these are classes, save their numbers, numpy's argmax(axis=1)");
}

std::vector<std::string> npy_target_names(const Targets& targets) {
  std::vector<std::string> names;
  for (int64_t i = 1; targets.numbers > 1 && i <= targets.numbers; ++i) names.push_back(c10::str("target ", i));
  return names;
}

void check_finite(const torch::Tensor& rows, const std::string& file, int64_t first_row) {
  if (!rows.is_floating_point()) return;
  const auto bad = rows.to(torch::kFloat).isfinite().logical_not().nonzero();
  if (bad.size(0) == 0) return;
  auto entry = rows;
  for (int64_t i = 0; i < bad.size(1); ++i) entry = entry[bad[0][i].item<int64_t>()];
  const double value = entry.item<double>();
  throw Error(c10::str(
      file, ": row ", first_row + bad[0][0].item<int64_t>(), " (counted from 0) holds ",
      std::isfinite(value) ? c10::str(six_digits(value), ", ", kTooLarge) : std::string("a value that is not finite")));
}

}  // namespace arks
