#include "data/table_targets.h"

#include "data/column_values.h"
#include "support/contains.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

/// The cells of a column of texts, as they stand.
std::vector<std::string> texts_of(const CsvColumn& column) {
  std::vector<std::string> cells;
  cells.reserve(column.codes.size());
  for (const auto code : column.codes) cells.push_back(column.values[static_cast<size_t>(code)]);
  return cells;
}

void check_no_missing(const CsvTable& csv, const CsvColumn& column) {
  for (int64_t row = 0; column.missing > 0 && row < csv.rows(); ++row) {
    ARKS_CHECK(!is_missing_at(column, row), place(csv, row), ": the target '", column.name, "' ", missing_words(column),
               ", one of ", column.missing, column.missing == 1 ? " cell" : " cells",
               "; remove the rows without a target");
  }
}

/// The numbers of a target column, without this unit. Throws Error where it holds texts or has no unit or another.
torch::Tensor target_numbers(const CsvTable& csv, const CsvColumn& column, const std::string& unit) {
  ColumnEncoding encoding;
  encoding.unit = unit;
  return torch::tensor(as_numbers(csv, column, encoding), torch::kDouble);
}

/// The unit of a column of numbers to predict, whose task may be open: then texts with few different numbers are
/// classes. None where there is no unit.
std::string unit_to_take_off(const CsvTable& csv, const CsvColumn& column, std::optional<Task> task) {
  if (!column.texts || task == Task::kClassification) return "";
  const auto counts = counts_of_values(column);
  const auto unit = usual_unit(column.values, counts, csv.decimal);
  if (unit.empty()) return "";
  const auto has_unit = [&](const std::string& text) {
    const auto found = number_with_unit(text, csv.decimal);
    return found && found->unit == unit;
  };
  const bool all = std::all_of(column.values.begin(), column.values.end(), has_unit);
  if (!task && !all && column.values.size() <= kMostClassesFound) return "";
  check_no_slips(csv, column, counts, has_unit, "numbers with the unit " + shown(unit),
                 "mend the cell, or use --task classification");
  return task || !looks_like_classes(target_numbers(csv, column, unit)) ? unit : "";
}

std::string unit_at(const Targets& like, size_t place) {
  return place < like.units.size() ? like.units[place] : "";
}

/// Texts are classes; a column of numbers and texts is a slip unless a task is given.
Targets one_target(const CsvTable& csv, const CsvColumn& column, std::optional<Task> task, const TargetNames& names,
                   const Targets* like) {
  check_no_missing(csv, column);
  const auto unit = like != nullptr ? unit_at(*like, 0) : unit_to_take_off(csv, column, task);
  if (!unit.empty()) task = Task::kRegression;
  if (task == Task::kRegression || !column.texts) {
    auto targets = number_targets(target_numbers(csv, column, unit), task, names, like);
    if (!unit.empty()) targets.units = {unit};
    return targets;
  }
  const auto cells = texts_of(column);
  int64_t numbers = 0, first_text = -1;
  for (int64_t row = 0; row < csv.rows(); ++row) {
    if (is_number(cells[static_cast<size_t>(row)], csv.decimal)) {
      ++numbers;
    } else if (first_text < 0) {
      first_text = row;
    }
  }
  ARKS_CHECK(numbers == 0 || first_text < 0 || task, place(csv, first_text), ": the target '", names.target,
             "' holds the text ", shown(cells[static_cast<size_t>(first_text)]), " among ", numbers,
             " numbers; if these are class names, set the task to classification");
  return text_targets(cells, names, like);
}

}  // namespace

void read_as_classes(const std::string& target, const Targets& like, CsvOptions& options) {
  if (!has_text_classes(like)) return;
  const auto& classes = like.class_names;
  options.as_texts.push_back(target);
  if (contains(classes, "-")) options.dashes.push_back(target);
}

std::vector<std::string> target_columns(const CsvTable& table, const std::string& target) {
  const auto named = [&](const std::string& name) {
    return std::any_of(table.columns.begin(), table.columns.end(), [&](const auto& c) { return c.name == name; });
  };
  if (named(target) || target.find(',') == std::string::npos) {
    find_column(table, target);
    return {target};
  }
  const auto names = names_in(target, "--target");
  for (const auto& name : names) {
    find_column(table, name);
    ARKS_CHECK(std::count(names.begin(), names.end(), name) == 1, "--target: '", name, "' is named twice");
  }
  return names;
}

Targets csv_targets(const CsvTable& table, const std::vector<std::string>& columns, std::optional<Task> task,
                    const Targets* like) {
  const auto& first = table.columns[find_column(table, columns[0])];
  if (columns.size() == 1) return one_target(table, first, task, {table.name, columns[0]}, like);
  ARKS_CHECK(task.value_or(Task::kRegression) == Task::kRegression, table.name,
             ": several targets are numbers that are predicted together; classes have one target");
  std::vector<torch::Tensor> numbers;
  Targets targets;
  for (const auto& name : columns) {
    const auto& column = table.columns[find_column(table, name)];
    check_no_missing(table, column);
    targets.units.push_back(like != nullptr ? unit_at(*like, numbers.size())
                                            : unit_to_take_off(table, column, Task::kRegression));
    numbers.push_back(target_numbers(table, column, targets.units.back()));
  }
  targets.values = torch::stack(numbers, 1);
  targets.numbers = targets.values.size(1);
  const auto empty = [](const std::string& unit) { return unit.empty(); };
  if (std::all_of(targets.units.begin(), targets.units.end(), empty)) targets.units.clear();
  return targets;
}

}  // namespace arks
