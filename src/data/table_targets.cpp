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

/// A cell that is not missing. Throws Error where it is a text.
double target_number(const CsvTable& csv, const CsvColumn& column, int64_t row) {
  const auto at = static_cast<size_t>(row);
  if (!column.texts) return column.numbers[at];
  const auto& cell = column.values[static_cast<size_t>(column.codes[at])];
  const auto number = cell_number(cell, csv.decimal);
  ARKS_CHECK(number, place(csv, row), ": column ", shown(column.name), " holds the text ", shown(cell),
             "; expected a number");
  return *number;
}

/// The numbers of a target column. Throws Error where it holds texts.
torch::Tensor target_numbers(const CsvTable& csv, const CsvColumn& column) {
  auto values = torch::empty({csv.rows()}, torch::kDouble);
  for (int64_t row = 0; row < csv.rows(); ++row) {
    const double number = target_number(csv, column, row);
    ARKS_CHECK(std::isfinite(number), place(csv, row), ": column ", shown(column.name),
               " is infinite; expected a finite number");
    values.data_ptr<double>()[row] = number;
  }
  return values;
}

/// Texts are classes; a column of numbers and texts is a slip unless a task is given.
Targets one_target(const CsvTable& csv, const CsvColumn& column, std::optional<Task> task, const TargetNames& names,
                   const Targets* like) {
  check_no_missing(csv, column);
  if (task == Task::kRegression || !column.texts) return number_targets(target_numbers(csv, column), task, names, like);
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
  for (const auto& name : columns) {
    const auto& column = table.columns[find_column(table, name)];
    check_no_missing(table, column);
    numbers.push_back(target_numbers(table, column));
  }
  return {torch::stack(numbers, 1), {}};
}

}  // namespace arks
