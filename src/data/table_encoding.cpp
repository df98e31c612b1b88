#include "data/table_encoding.h"

#include "data/column_values.h"
#include "data/csv_guess.h"
#include "data/dates.h"
#include "data/similar_value.h"
#include "support/contains.h"
#include "support/free_memory.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace arks {

namespace {

/// The values of a category as numbers; none when one of them is no number, or two are the same one.
std::map<double, int64_t> numeric_values(const std::vector<std::string>& values, char decimal) {
  std::map<double, int64_t> places;
  for (const auto& value : values) {
    const auto number = plain_number(value, decimal);
    if (!number || std::isnan(*number)) return {};
    if (!places.emplace(*number, static_cast<int64_t>(places.size())).second) return {};
  }
  return places;
}

/// Where each text of a column stands among the values of a category, -1 where it does not. Where the values are
/// numbers, "1.0" and "01" are 1. The values may be written with another decimal sign than the column.
std::vector<int64_t> places_in(const std::vector<std::string>& values, char decimal_of_values, const CsvColumn& column,
                               char decimal) {
  std::map<std::string, int64_t> places;
  for (const auto& value : values) places.emplace(value, static_cast<int64_t>(places.size()));
  const auto numbers = numeric_values(values, decimal_of_values);
  std::vector<int64_t> found;
  for (const auto& text : column.values) {
    const auto same = places.find(text);
    const auto number = same == places.end() && !numbers.empty() ? cell_number(text, decimal) : std::nullopt;
    const auto equal = number && !std::isnan(*number) ? numbers.find(*number) : numbers.end();
    found.push_back(same != places.end() ? same->second : equal != numbers.end() ? equal->second : -1);
  }
  return found;
}

/// How many cells hold another value than this one, as cell_text wrote it: a number with a point, a text as it stood in
/// the training file. A million rows are no reason to write each.
int64_t changed_cells(const CsvColumn& column, const std::string& value, char decimal) {
  if (!column.texts) {
    const auto written = plain_number(value, '.');
    const double number = (written ? written : cell_number(value, decimal)).value_or(std::nan(""));
    return std::count_if(column.numbers.begin(), column.numbers.end(),
                         [&](double cell) { return !std::isnan(cell) && cell != number; });
  }
  return std::count_if(column.codes.begin(), column.codes.end(),
                       [&](int32_t code) { return code >= 0 && column.values[static_cast<size_t>(code)] != value; });
}

/// A column that training left out since it never changed may change elsewhere.
void note_changed_constants(const CsvTable& table, const TableEncoding& encoding, std::vector<std::string>& notes) {
  for (const auto& left : encoding.left_out) {
    const auto same = [&](const auto& column) { return column.name == left.name; };
    const auto column = std::find_if(table.columns.begin(), table.columns.end(), same);
    if (left.value.empty() || column == table.columns.end()) continue;
    const auto changed = changed_cells(*column, left.value, encoding.decimal.value_or('.'));
    if (changed == 0) continue;
    notes.push_back(c10::str("column ", shown(left.name), " is ", shown(left.value),
                             " in all training rows but not in ", count_of(changed, "rows"),
                             " here; the model does not look at it"));
  }
}

/// Fills the inputs of one column.
class Encoder {
 public:
  Encoder(const CsvTable& table, const TableEncoding& encoding, EncodedInputs& to)
      : table_(table), encoding_(encoding), to_(to) {}

  void encode(const CsvColumn& column, const ColumnEncoding& how) {
    missing_ = 0;
    if (how.kind == ColumnKind::kCategory) {
      encode_category(column, how);
    } else {
      encode_numbers(column, how);
    }
    if (how.indicator) {
      for (int64_t row = 0; row < table_.rows(); ++row) at(row) = is_missing_at(column, row) ? 1 : 0;
      ++feature_;
    }
    if (missing_ == 0) return;
    to_.notes.push_back(c10::str("column ", shown(how.name), ": ", missing_, " missing ",
                                 missing_ == 1 ? "cell is" : "cells are", " filled with ", filled_with(how)));
  }

 private:
  double& at(int64_t row) { return values_[row * width_ + feature_]; }

  void check_may_miss(const CsvColumn& column, int64_t row) {
    ARKS_CHECK(encoding_.missing != Missing::kError, place(table_, row), ": column ", shown(column.name), " ",
               missing_words(column), "; training rows have no missing cells, so the model does not know what to do; ",
               "with --missing median, mean or indicator in arks train it would");
    ++missing_;
  }

  void mark_filled(int64_t row) {
    if (!to_.filled.defined()) to_.filled = torch::zeros(to_.values.sizes(), torch::kBool);
    to_.filled.data_ptr<bool>()[row * width_ + feature_] = true;
  }

  void encode_numbers(const CsvColumn& column, const ColumnEncoding& how) {
    const auto here = as_written(table_, column, how);
    if (here.date_format != how.date_format) {
      to_.notes.push_back(c10::str("column ", shown(how.name), ": dates are written as ", here.date_format,
                                   " and not as in training, ", how.date_format));
    }
    const auto numbers = as_numbers(table_, column, here);
    for (int64_t row = 0; row < table_.rows(); ++row) {
      const double number = numbers[static_cast<size_t>(row)];
      if (std::isnan(number)) {
        check_may_miss(column, row);
        mark_filled(row);
      }
      at(row) = std::isnan(number) ? how.fill : number;
    }
    ++feature_;
  }

  void encode_category(const CsvColumn& column, const ColumnEncoding& how) {
    ARKS_CHECK(column.texts, table_.name, ": column ", shown(column.name), " must be read as texts");
    const auto place_of_code = places_in(how.values, encoding_.decimal.value_or('.'), column, table_.decimal);
    for (int64_t row = 0; row < table_.rows(); ++row) {
      const auto code = column.codes[static_cast<size_t>(row)];
      auto value = code < 0 ? -1 : place_of_code[static_cast<size_t>(code)];
      if (code < 0) {
        check_may_miss(column, row);
        if (!how.indicator) value = std::llround(how.fill);
      }
      if (value >= 0) values_[row * width_ + feature_ + value] = 1;
    }
    feature_ += static_cast<int64_t>(how.values.size());
    note_unseen(column, how, place_of_code);
  }

  /// Values that training never saw, the most frequent first, and what each may have been meant to be.
  void note_unseen(const CsvColumn& column, const ColumnEncoding& how, const std::vector<int64_t>& place_of_code) {
    const auto counts = counts_of_values(column);
    std::vector<size_t> unseen;
    int64_t rows = 0;
    for (size_t code = 0; code < counts.size(); ++code) {
      if (place_of_code[code] >= 0 || counts[code] == 0) continue;
      unseen.push_back(code);
      rows += counts[code];
    }
    if (unseen.empty()) return;
    std::stable_sort(unseen.begin(), unseen.end(), [&](size_t a, size_t b) {
      return counts[a] > counts[b] || (counts[a] == counts[b] && column.values[a] < column.values[b]);
    });
    constexpr size_t kShown = 5;
    std::vector<std::string> some;
    for (size_t i = 0; i < std::min(kShown, unseen.size()); ++i) {
      const auto& text = column.values[unseen[i]];
      const auto similar = similar_value(text, how.values);
      some.push_back(c10::str(shown(text), " ", counts[unseen[i]], " times",
                              similar ? c10::str(", did you mean ", shown(*similar), "?") : ""));
      if (counts[unseen[i]] == 1) some.back().replace(some.back().find(" 1 times"), 8, " once");
    }
    to_.notes.push_back(c10::str("column ", shown(how.name), ": ", rows, rows == 1 ? " row has" : " rows have",
                                 " a value that the training rows do not have (", join(some, "; "),
                                 unseen.size() > kShown ? c10::str("; and ", unseen.size() - kShown, " more") : "",
                                 "); it counts as none of the known ones"));
  }

  const CsvTable& table_;
  const TableEncoding& encoding_;
  EncodedInputs& to_;
  double* values_ = to_.values.data_ptr<double>();
  const int64_t width_ = to_.values.size(1);
  int64_t feature_ = 0, missing_ = 0;
};

/// How wide rows are where the training file named none of its columns.
std::optional<UnnamedColumns> unnamed_columns(const TableEncoding& encoding, const std::vector<std::string>& targets,
                                              bool with_targets) {
  UnnamedColumns columns;
  bool unnamed = true;
  const auto add = [&](const std::string& name, bool needed) {
    const size_t number = column_number(name);
    unnamed = unnamed && number > 0;
    columns.most = std::max(columns.most, number);
    if (needed) columns.least = std::max(columns.least, number);
  };
  for (const auto& column : encoding.columns) add(column.name, true);
  for (const auto& column : encoding.left_out) add(column.name, false);
  for (const auto& name : targets) add(name, with_targets);
  return unnamed ? std::optional(columns) : std::nullopt;
}

const std::vector<std::string>& kind_names() {
  static const std::vector<std::string> names{"number", "true/false", "date", "category"};
  return names;
}

}  // namespace

std::string to_string(ColumnKind kind) {
  return kind_names()[static_cast<size_t>(kind)];
}

ColumnKind parse_column_kind(const std::string& name) {
  return named_value<ColumnKind>(name, kind_names(), "kind of column");
}

std::string to_string(Missing missing) {
  return missing_names()[static_cast<size_t>(missing)];
}

Missing parse_missing(const std::string& name) {
  return named_value<Missing>(name, missing_names(), "treatment of missing cells");
}

std::vector<std::string> missing_names() {
  return {"error", "median", "mean", "indicator"};
}

std::string filled_with(const ColumnEncoding& column) {
  if (column.kind == ColumnKind::kDate) return date_text(column.fill);
  if (column.kind != ColumnKind::kCategory) return six_digits(column.fill);
  return column.indicator ? "no value" : shown(column.values[static_cast<size_t>(column.fill)]);
}

bool ColumnEncoding::operator==(const ColumnEncoding& other) const {
  const auto all = [](const ColumnEncoding& c) {
    return std::tie(c.name, c.kind, c.date_format, c.unit, c.values, c.fill, c.indicator);
  };
  return all(*this) == all(other);
}

std::string TableEncoding::group() const {
  for (const auto& column : left_out) {
    if (column.why == kGroupColumn) return column.name;
  }
  return "";
}

std::vector<Feature> TableEncoding::features() const {
  std::vector<Feature> all;
  for (const auto& column : columns) {
    if (column.kind == ColumnKind::kCategory) {
      for (const auto& value : column.values) all.push_back({column.name + "=" + value, column.name, false, false});
    } else {
      all.push_back({column.name, column.name, column.kind != ColumnKind::kFlag, column.kind == ColumnKind::kDate});
    }
    if (column.indicator) all.push_back({column.name + " is missing", column.name, false, false});
  }
  return all;
}

EncodedInputs encode(CsvTable& table, const TableEncoding& encoding) {
  const auto features = encoding.features();
  const double numbers = static_cast<double>(features.size()) * static_cast<double>(table.rows());
  check_fits_memory(sizeof(double) * numbers,
                    c10::str(table.name, ": ", table.rows(), " rows with ", features.size(), " inputs each"),
                    "drop columns with many values");
  EncodedInputs encoded;
  encoded.values = torch::zeros({table.rows(), static_cast<int64_t>(features.size())}, torch::kDouble);
  note_changed_constants(table, encoding, encoded.notes);
  Encoder encoder(table, encoding, encoded);
  for (const auto& how : encoding.columns) {
    auto& column = table.columns[find_column(table, how.name)];
    encoder.encode(column, how);
    const auto name = column.name;
    column = CsvColumn();  // its memory is needed for the next one
    column.name = name;
  }
  return encoded;
}

CsvOptions csv_options(const TableEncoding& encoding, const CsvOptions& given, const std::vector<std::string>& targets,
                       bool with_targets) {
  auto options = given;
  options.unnamed = unnamed_columns(encoding, targets, with_targets);
  options.usual_decimal = encoding.decimal;
  for (const auto& column : encoding.columns) {
    if (column.kind == ColumnKind::kCategory) options.as_texts.push_back(column.name);
    if (contains(column.values, "-")) options.dashes.push_back(column.name);
  }
  return options;
}

}  // namespace arks
