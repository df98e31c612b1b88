#include "data/column_notes.h"

#include "data/column_values.h"
#include "data/missing_code.h"
#include "support/text.h"

#include <algorithm>

namespace arks {

namespace {

std::string unit_note(const std::string& column, const std::string& unit) {
  return "column " + shown(column) + " is read as numbers in " + unit;
}

/// Of a column that is read as numbers, with this unit or without one.
int64_t numbers_in_parentheses(const CsvColumn& column, const std::string& unit) {
  if (!column.texts || unit.empty()) return column.in_parentheses;
  const auto counts = counts_of_values(column);
  int64_t found = 0;
  for (size_t value = 0; value < counts.size(); ++value) {
    if (in_parentheses(column.values[value])) found += counts[value];
  }
  return found;
}

std::string running_number_note(const CsvColumn& column) {
  const auto [low, high] = std::minmax_element(column.numbers.begin(), column.numbers.end());
  return c10::str("column ", shown(column.name), " counts the rows, from ", shortest(*low), " to ", shortest(*high),
                  "; leave it out with --drop if it says nothing about them");
}

/// Whether day or month comes first cannot be seen in most dates, so who reads them should know what was taken.
std::string order_of_dates_note(const ColumnEncoding& how, std::optional<bool> day_first) {
  const bool day = how.date_format[0] == 'D';
  return c10::str("column ", shown(how.name), ": dates are read as ", how.date_format, ", the ", day ? "day" : "month",
                  " first, ", day_first == day ? "as --dates says" : "since not all of them can be read the other way",
                  day_first == !day ? ", although --dates says otherwise" : "");
}

}  // namespace

std::vector<std::string> notes_on_input(const CsvColumn& column, const ColumnEncoding& how,
                                        std::optional<bool> day_first) {
  std::vector<std::string> notes;
  if (!column.texts && counts_rows(column)) notes.push_back(running_number_note(column));
  if (!column.leading_zero.empty()) {
    notes.push_back(c10::str("column ", shown(column.name), " has leading zeros, as in ", shown(column.leading_zero),
                             ": read as numbers; if they are codes, --categorical keeps them as they are"));
  }
  if (const auto negative = numbers_in_parentheses(column, how.unit); negative > 0) {
    notes.push_back(c10::str("column ", shown(column.name), ": ", count_of(negative, "numbers"), " in parentheses ",
                             negative == 1 ? "is" : "are", " read as negative; --categorical keeps them as texts"));
  }
  if (!how.unit.empty()) notes.push_back(unit_note(how.name, how.unit));
  if (const auto code = missing_code(column); !code.empty()) {
    notes.push_back("column " + shown(column.name) + " " + code +
                    " Empty these cells in the file, and --missing says what stands for them");
  }
  if (how.kind == ColumnKind::kDate && how.date_format[1] == '/') {
    notes.push_back(order_of_dates_note(how, day_first));
  }
  return notes;
}

std::vector<std::string> notes_on_targets(const CsvTable& csv, const std::vector<std::string>& columns,
                                          const Targets& targets) {
  std::vector<std::string> notes;
  const bool numbers = targets.class_names.empty();
  const auto& first = csv.columns[find_column(csv, columns[0])];
  if (numbers && columns.size() == 1 && !first.texts && counts_rows(first)) {
    notes.push_back("the target " + shown(first.name) + " counts the rows; is it the right column? --target names it");
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto unit = i < targets.units.size() ? targets.units[i] : "";
    if (!unit.empty()) notes.push_back(unit_note(columns[i], unit));
    const auto& column = csv.columns[find_column(csv, columns[i])];
    const auto code = numbers ? missing_code(column) : "";
    if (!code.empty()) notes.push_back("the target " + shown(columns[i]) + " " + code + " Leave these rows out");
    const auto negative = numbers_in_parentheses(column, unit);
    if (negative > 0) {
      notes.push_back(c10::str("the target ", shown(columns[i]), ": ", count_of(negative, "numbers"),
                               " in parentheses ", negative == 1 ? "is" : "are", " read as negative"));
    }
  }
  return notes;
}

}  // namespace arks
