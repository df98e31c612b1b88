#include "cli/column_view.h"

#include "cli/narrow.h"
#include "data/csv.h"
#include "data/dates.h"
#include "data/table_targets.h"
#include "data/tabular.h"
#include "report/table.h"
#include "report/utf8.h"
#include "support/contains.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace arks::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

std::string treatment_of(const ColumnEncoding& column, bool missing, bool standardised) {
  std::string text = standardised ? "standardised" : "as it is";
  if (column.kind == ColumnKind::kFlag) text = "0 or 1";
  if (column.kind == ColumnKind::kDate) {
    text = "days since 1970 (" + column.date_format + ")" + (standardised ? ", standardised" : "");
  }
  if (column.kind == ColumnKind::kCategory) text = c10::str(column.values.size(), " inputs, one for each value");
  if (missing) text += "; missing: " + filled_with(column);
  return column.indicator ? text + ", and an input that says so" : text;
}

std::string range_of(const std::vector<double>& numbers) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double number : numbers) {
    if (std::isnan(number)) continue;
    low = std::min(low, number);
    high = std::max(high, number);
  }
  return low > high ? "-" : six_digits(low) + " to " + six_digits(high);
}

std::string range_of(const CsvColumn& column) {
  if (column.texts) {
    constexpr size_t kShown = 3, kLongest = 20;
    std::vector<std::string> some;
    for (size_t i = 0; i < std::min(kShown, column.values.size()); ++i) {
      some.push_back(shown(shortened(column.values[i], kLongest)));
    }
    const auto count = column.values.size();
    return c10::str(count, count == 1 ? " text: " : " texts: ", join(some), count > kShown ? ", ..." : "");
  }
  return range_of(column.numbers);
}

/// "4.5 to 33 mm", of numbers that have a unit behind or before them.
std::string range_with_unit(const CsvTable& table, const CsvColumn& column, const std::string& unit) {
  std::vector<double> numbers;
  for (const auto& text : column.values) {
    const auto found = number_with_unit(text, table.decimal);
    if (found) numbers.push_back(found->number);
  }
  return range_of(numbers) + " " + unit;
}

/// "2024-01-02 to 2024-12-30"
std::string dates_of(const CsvColumn& column, const std::string& format) {
  const auto earlier = [&](const auto& a, const auto& b) { return parse_date(a, format) < parse_date(b, format); };
  const auto [first, last] = std::minmax_element(column.values.begin(), column.values.end(), earlier);
  return *first + " to " + *last;
}

ColumnView view_of(const CsvTable& table, const std::vector<std::string>& targets, const TableSurvey& survey,
                   bool standardised) {
  ColumnView view;
  for (const auto& column : table.columns) {
    ColumnRow row{column.name, column.texts ? "text" : "number", range_of(column), column.missing, "not used"};
    const auto same = [&](const auto& known) { return known.name == column.name; };
    const auto& [encoding, problems] = survey;
    const auto input = std::find_if(encoding.columns.begin(), encoding.columns.end(), same);
    const auto left = std::find_if(encoding.left_out.begin(), encoding.left_out.end(), same);
    if (input != encoding.columns.end()) {
      row.kind = to_string(input->kind) + (input->unit.empty() ? "" : ", " + input->unit);
      row.treatment = treatment_of(*input, column.missing > 0, standardised);
      if (!input->unit.empty()) row.range = range_with_unit(table, column, input->unit);
      if (input->kind == ColumnKind::kDate) row.range = dates_of(column, input->date_format);
    }
    if (left != encoding.left_out.end())
      row.treatment = left->why == kGroupColumn ? "keeps its rows in one part" : "left out: " + left->why;
    if (std::any_of(problems.begin(), problems.end(), same)) row.treatment = "refused";
    if (contains(targets, column.name)) row.treatment = "target";
    view.rows.push_back(std::move(row));
  }
  for (const auto& problem : survey.problems) view.problems.push_back(problem.problem);
  return view;
}

/// The target columns as far as they are there: a name that is none is an error of its own.
std::vector<std::string> targets_in(const CsvTable& table, const TabularOptions& options) {
  try {
    return target_columns(table, options.target().empty() ? table.columns.back().name : options.target());
  } catch (const Error&) {
    return {};
  }
}

/// How wide columns may be so that all fit a terminal. Ranges of numbers stay on one line; of what is left, the values
/// of texts and what will be done take what they need, or else a half each.
std::vector<size_t> widths_of(const std::vector<std::string>& headers,
                              const std::vector<std::vector<std::string>>& rows) {
  constexpr size_t kLongestName = 18, kLongestKind = 10, kLongestRange = 24, kRange = 2, kDone = 4, kBlanks = 8;
  std::vector<size_t> widths;
  for (const auto& header : headers) widths.push_back(display_width(header));
  size_t numbers = 0;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
    if (row[kRange].find('\'') == std::string::npos) numbers = std::max(numbers, display_width(row[kRange]));
  }
  widths[0] = std::min(widths[0], kLongestName);
  widths[1] = std::min(widths[1], kLongestKind);
  const size_t left = kTerminal - kBlanks - widths[0] - widths[1] - widths[3];
  if (widths[kRange] + widths[kDone] <= left) return widths;
  const size_t fair = std::max(left / 2, std::min(numbers, kLongestRange));
  if (widths[kRange] > fair) widths[kRange] = std::max(fair, left - std::min(left, widths[kDone]));
  widths[kDone] = left - widths[kRange];
  return widths;
}

}  // namespace

ColumnView view_columns(const CsvTable& table, const std::string& target, const TableEncoding& encoding,
                        bool standardised) {
  return view_of(table, target_columns(table, target), {encoding, {}}, standardised);
}

ColumnView view_unusable(const fs::path& file, const TabularOptions& options) {
  const auto table = read_csv(file, csv_options(options));
  const auto targets = targets_in(table, options);
  auto not_inputs = targets;
  if (!options.group().empty()) not_inputs.push_back(options.group());
  const auto survey = survey_columns(table, training_rows(table, options), not_inputs, options);
  return view_of(table, targets, survey, options.standardise().value_or(true));
}

std::string to_text(const ColumnView& view) {
  if (view.rows.empty()) return "";
  constexpr size_t kShown = 60;
  std::vector<std::string> headers{"column", "kind", "range or values", "missing", "what will be done"};
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < std::min(view.rows.size(), kShown); ++i) {
    const auto& row = view.rows[i];
    rows.push_back({row.name, row.kind, row.range, std::to_string(row.missing), row.treatment});
  }
  const auto widths = widths_of(headers, rows);
  if (widths.back() < headers.back().size()) headers.back() = "what will\nbe done";
  Table table(headers);
  for (const auto& row : rows) add_narrow_row(table, row, widths);
  const auto more = view.rows.size() - std::min(view.rows.size(), kShown);
  return table.str() + (more > 0 ? c10::str("and ", more, more == 1 ? " more column\n" : " more columns\n") : "");
}

Json to_json(const ColumnView& view) {
  Json json = Json::array();
  for (const auto& row : view.rows) {
    json.push_back({{"name", row.name},
                    {"kind", row.kind},
                    {"range", row.range},
                    {"missing", row.missing},
                    {"treatment", row.treatment}});
  }
  return json;
}

}  // namespace arks::cli
