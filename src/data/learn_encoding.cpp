// What becomes of each column, learned on the training rows.
#include "data/column_values.h"
#include "data/dates.h"
#include "data/table_encoding.h"
#include "support/contains.h"
#include "support/mean.h"
#include "support/median.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace arks {

namespace {

constexpr const char* kConstant = "constant in the training rows";
constexpr size_t kFewValues = 50;         // of texts that are taken for categories
constexpr size_t kAnyNumberOfNames = 12;  // may be categories in however few rows
constexpr size_t kMostValues = 1000;      // of a column that was declared to be one

std::string quoted(const CsvTable& table, const std::string& column) {
  return table.name + ": column " + shown(column);
}

constexpr const char* kFillOrDrop = "--missing median, mean or indicator fills them, --drop leaves the column out";

/// Nobody said what to do with them.
class MissingCells : public Error {
  using Error::Error;
};

/// Learns the columns of one table.
class Learner {
 public:
  Learner(const CsvTable& table, const std::vector<int64_t>& rows, const TabularOptions& options)
      : table_(table), rows_(rows), options_(options) {
    result_.encoding.missing = options.missing();
    if (table.holds_decimals) result_.encoding.decimal = table.decimal;
  }

  void learn(const CsvColumn& column) {
    try {
      learn_or_throw(column);
    } catch (const MissingCells& error) {
      result_.problems.push_back(
          {column.name, error.what(), shown(column.name) + " " + count_of(column.missing, "cells")});
    } catch (const Error& error) {
      result_.problems.push_back({column.name, error.what()});
    }
  }

  TableSurvey result() { return std::move(result_); }

 private:
  void learn_or_throw(const CsvColumn& column) {
    if (contains(options_.drop(), column.name)) return leave_out(column, kDropped);
    ColumnEncoding encoding;
    encoding.name = column.name;
    const bool missing = std::any_of(rows_.begin(), rows_.end(), [&](auto row) { return is_missing_at(column, row); });
    if (std::all_of(rows_.begin(), rows_.end(), [&](auto row) { return is_missing_at(column, row); })) {
      return leave_out(column, "empty in the training rows");
    }
    encoding.kind = kind_of(column, encoding);
    const bool known =
        encoding.kind == ColumnKind::kCategory ? learn_values(column, encoding) : learn_numbers(column, encoding);
    if (!known && !missing) return leave_out(column, kConstant, value_of(column));
    if (missing) check_missing(column);
    encoding.indicator = missing && options_.missing() == Missing::kIndicator;
    if (encoding.indicator && encoding.kind == ColumnKind::kCategory) encoding.fill = 0;  // says nothing there
    if (!known && !encoding.indicator) return leave_out(column, kConstant, value_of(column));
    result_.encoding.columns.push_back(std::move(encoding));
  }

  void leave_out(const CsvColumn& column, std::string why, std::string value = "") {
    result_.encoding.left_out.push_back({column.name, std::move(why), std::move(value)});
  }

  /// Of the first training row that has one.
  std::string value_of(const CsvColumn& column) const {
    for (const auto row : rows_) {
      if (!is_missing_at(column, row)) return cell_text(column, row);
    }
    return "";
  }

  void check_missing(const CsvColumn& column) const {
    if (options_.missing() != Missing::kError) return;
    int64_t row = 0;
    while (!is_missing_at(column, row)) ++row;
    throw MissingCells(c10::str(place(table_, row), ": column ", shown(column.name), " ", missing_words(column),
                                ", one of ", count_of(column.missing, "cells"), " of this column; ", kFillOrDrop));
  }

  ColumnKind kind_of(const CsvColumn& column, ColumnEncoding& encoding) const {
    if (!column.texts) return ColumnKind::kNumber;
    if (contains(options_.categorical(), column.name)) return ColumnKind::kCategory;
    const auto all = [&](const auto& fits) { return std::all_of(column.values.begin(), column.values.end(), fits); };
    if (all([](const auto& text) { return to_flag(text).has_value(); })) return ColumnKind::kFlag;
    if (const auto format = find_date_format(column.values, quoted(table_, column.name), options_.day_first())) {
      encoding.date_format = *format;
      return ColumnKind::kDate;
    }
    encoding.unit = unit_of(column.values, table_.decimal);
    if (!encoding.unit.empty()) return ColumnKind::kNumber;
    check_slips(column);
    return ColumnKind::kCategory;
  }

  /// Texts among numbers, dates and flags are slips; a few of these among texts are not.
  void check_slips(const CsvColumn& column) const {
    const auto counts = counts_of_values(column, rows_);
    const auto check = [&](const auto& fits, const std::string& what) {
      check_no_slips(table_, column, counts, fits, what,
                     "mend the cell, or use --categorical or --drop for this column");
    };
    const auto decimal = table_.decimal;
    check([&](const auto& text) { return is_number(text, decimal); }, "numbers");
    check([](const auto& text) { return to_flag(text).has_value(); }, "cells that are True or False");
    const auto format = usual_date_format(column.values, counts);
    if (!format.empty()) {
      check([&](const auto& text) { return parse_date(text, format).has_value(); }, "dates like " + format);
    }
    const auto unit = usual_unit(column.values, counts, decimal);
    if (unit.empty()) return;
    const auto has_unit = [&](const auto& text) {
      const auto found = number_with_unit(text, decimal);
      return found && found->unit == unit;
    };
    check(has_unit, "numbers with the unit " + shown(unit));
  }

  /// "12kg" is read as a text, since "3D" is one.
  std::string glued_unit(const std::string& text) const {
    const auto letters = static_cast<size_t>(std::find_if(text.begin(), text.end(), is_letter) - text.begin());
    if (letters == 0 || letters == text.size()) return "";
    const auto apart = text.substr(0, letters) + " " + text.substr(letters);
    const auto found = number_with_unit(apart, table_.decimal);
    return found ? "; a unit is taken off where a blank stands before it, as in " + shown(apart) : "";
  }

  /// False when there is only one value.
  bool learn_values(const CsvColumn& column, ColumnEncoding& encoding) const {
    const auto counts = counts_of_values(column, rows_);
    std::map<std::string, int64_t> found;  // alphabetically
    for (size_t value = 0; value < counts.size(); ++value) {
      if (counts[value] > 0) found.emplace(column.values[value], counts[value]);
    }
    const bool declared = contains(options_.categorical(), column.name);
    const auto most = declared ? kMostValues : kFewValues;
    ARKS_CHECK(
        found.size() <= most, quoted(table_, column.name), " holds ", found.size(), " different texts, such as ",
        shown(found.begin()->first), "; ",
        declared ? c10::str("a category may have at most ", kMostValues, " values; ") : "", "leave it out with --drop",
        declared || found.size() > kMostValues ? "" : ", or take each text as an input of its own with --categorical",
        glued_unit(found.begin()->first));
    const auto cells = std::accumulate(counts.begin(), counts.end(), int64_t{0});
    ARKS_CHECK(declared || found.size() <= kAnyNumberOfNames || 2 * static_cast<int64_t>(found.size()) <= cells,
               quoted(table_, column.name), " holds ", found.size(), " different texts in ", cells,
               " rows, so it looks like a name of the row; leave it out with --drop, or take each text as an input of ",
               "its own with --categorical", glued_unit(found.begin()->first));
    int64_t most_often = 0;
    for (const auto& [text, count] : found) {
      if (count > most_often) encoding.fill = static_cast<double>(encoding.values.size());
      most_often = std::max(most_often, count);
      encoding.values.push_back(text);
    }
    return found.size() > 1;
  }

  /// False when there is only one number.
  bool learn_numbers(const CsvColumn& column, ColumnEncoding& encoding) const {
    const auto numbers = as_numbers(table_, column, encoding);
    std::vector<double> known;
    known.reserve(rows_.size());
    for (const auto row : rows_) {
      const double number = numbers[static_cast<size_t>(row)];
      if (!std::isnan(number)) known.push_back(number);
    }
    encoding.fill = options_.missing() == Missing::kMean ? mean_of(known) : median_of(known);
    if (encoding.kind == ColumnKind::kNumber) {
      const auto [low, high] = std::minmax_element(known.begin(), known.end());
      encoding.range = NumberRange{*low, *high, 0};
    }
    const bool changes = std::any_of(known.begin(), known.end(), [&](double number) { return number != known[0]; });
    if (encoding.range) encoding.range->size = usual_size(known);
    return changes;
  }

  /// The median of the absolute values, of many of some that are spread over the rows: ten times as much matters.
  static double usual_size(const std::vector<double>& numbers) {
    constexpr size_t kMost = 10000;
    const size_t step = numbers.size() / kMost + 1;
    std::vector<double> sizes;
    sizes.reserve(numbers.size() / step + 1);
    for (size_t i = 0; i < numbers.size(); i += step) sizes.push_back(std::abs(numbers[i]));
    return median_of(std::move(sizes));
  }

  const CsvTable& table_;
  const std::vector<int64_t>& rows_;
  const TabularOptions& options_;
  TableSurvey result_;
};

void check_names(const CsvTable& table, const std::vector<std::string>& names, const std::vector<std::string>& targets,
                 const char* flag) {
  for (const auto& name : names) {
    if (!name.empty() && name == table.index) continue;  // left out already
    find_column(table, name);
    ARKS_CHECK(!contains(targets, name), flag, ": ", shown(name), " is the target or the group of ", table.name,
               ", not an input");
  }
}

/// The first one. Missing cells in several columns are one problem, with one answer to all of them.
void throw_first(const std::vector<ColumnProblem>& problems, const std::string& table) {
  if (problems.empty()) return;
  if (problems[0].missing.empty()) throw Error(problems[0].problem);
  std::vector<std::string> missing;
  for (const auto& problem : problems) {
    if (!problem.missing.empty()) missing.push_back(problem.missing);
  }
  if (missing.size() == 1) throw Error(problems[0].problem);
  constexpr size_t kShown = 10;
  const auto count = missing.size();
  missing.resize(std::min(count, kShown));
  throw Error(c10::str(table, ": cells are missing in ", count, " columns: ", join(missing),
                       count > kShown ? ", ..." : "", "; ", kFillOrDrop));
}

}  // namespace

void check_column_lists(const CsvTable& table, const TabularOptions& options,
                        const std::vector<std::string>& not_inputs) {
  check_names(table, options.drop(), not_inputs, "--drop");
  check_names(table, options.categorical(), not_inputs, "--categorical");
}

TableSurvey survey_columns(const CsvTable& table, const std::vector<int64_t>& rows,
                           const std::vector<std::string>& not_inputs, const TabularOptions& options) {
  check_column_lists(table, options, not_inputs);
  Learner learner(table, rows, options);
  for (const auto& column : table.columns) {
    if (!contains(not_inputs, column.name)) learner.learn(column);
  }
  return learner.result();
}

TableEncoding learn_encoding(const CsvTable& table, const std::vector<int64_t>& rows,
                             const std::vector<std::string>& not_inputs, const TabularOptions& options) {
  auto survey = survey_columns(table, rows, not_inputs, options);
  throw_first(survey.problems, table.name);
  const auto& left_out = survey.encoding.left_out;
  ARKS_CHECK(!survey.encoding.columns.empty(), table.name, ": no column is left as an input in ",
             count_of(static_cast<int64_t>(rows.size()), "training rows"),
             left_out.empty() ? "" : c10::str("; '", left_out[0].name, "' is left out: ", left_out[0].why));
  return std::move(survey.encoding);
}

}  // namespace arks
