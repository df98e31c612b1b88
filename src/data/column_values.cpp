#include "data/column_values.h"

#include "data/dates.h"
#include "data/float32_range.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace arks {

namespace {

/// Each text as the number that it stands for; NaN where it stands for none.
std::vector<double> numbers_of(const CsvColumn& column, const ColumnEncoding& encoding, char decimal) {
  std::vector<double> numbers;
  for (const auto& text : column.values) {
    std::optional<double> number;
    if (encoding.kind == ColumnKind::kFlag) number = to_flag(text);
    if (encoding.kind == ColumnKind::kDate) number = parse_date(text, encoding.date_format);
    if (encoding.kind == ColumnKind::kNumber && encoding.unit.empty()) number = cell_number(text, decimal);
    if (encoding.kind == ColumnKind::kNumber && !encoding.unit.empty()) {
      const auto found = number_with_unit(text, decimal);
      if (found && found->unit == encoding.unit) number = found->number;
    }
    numbers.push_back(number.value_or(std::nan("")));
  }
  return numbers;
}

std::string expected(const ColumnEncoding& encoding) {
  if (encoding.kind == ColumnKind::kDate) return "a date like " + encoding.date_format;
  if (!encoding.unit.empty()) return "a number with the unit " + shown(encoding.unit) + ", as in training";
  return encoding.kind == ColumnKind::kFlag ? "True or False" : "a number";
}

/// The numbers of a column that holds texts, NaN where a cell is missing. Throws Error for a cell of another kind.
std::vector<double> numbers_of_texts(const CsvTable& table, const CsvColumn& column, const ColumnEncoding& encoding) {
  const auto of_values = numbers_of(column, encoding, table.decimal);
  for (size_t value = 0; value < of_values.size(); ++value) {
    if (!std::isnan(of_values[value])) continue;
    const auto row = first_row_with(column, static_cast<int32_t>(value));
    throw Error(c10::str(place(table, row), ": column ", shown(column.name), " holds the text ",
                         shown(column.values[value]), "; expected ", expected(encoding),
                         encoding.kind == ColumnKind::kDate ? ", as all dates of a column are written alike" : ""));
  }
  std::vector<double> numbers(column.codes.size(), std::nan(""));
  for (size_t row = 0; row < numbers.size(); ++row) {
    if (column.codes[row] >= 0) numbers[row] = of_values[static_cast<size_t>(column.codes[row])];
  }
  return numbers;
}

/// Bare numbers are no dates and have no unit, whatever was meant by them, and only 0 and 1 are flags.
void check_kind(const CsvTable& table, const CsvColumn& column, const ColumnEncoding& encoding) {
  if (encoding.kind == ColumnKind::kNumber && encoding.unit.empty()) return;
  for (size_t row = 0; row < column.numbers.size(); ++row) {
    const double number = column.numbers[row];
    const bool fits = std::isnan(number) || (encoding.kind == ColumnKind::kFlag && (number == 0 || number == 1));
    ARKS_CHECK(fits, place(table, static_cast<int64_t>(row)), ": column ", shown(column.name), " holds the number ",
               shortest(number), "; expected ", expected(encoding));
  }
}

}  // namespace

std::string unit_of(const std::vector<std::string>& texts, char decimal) {
  std::string unit;
  for (const auto& text : texts) {
    const auto found = number_with_unit(text, decimal);
    if (!found || (!unit.empty() && found->unit != unit)) return "";
    unit = found->unit;
  }
  return unit;
}

std::string usual_unit(const std::vector<std::string>& texts, const std::vector<int64_t>& counts, char decimal) {
  struct Use {
    int64_t cells = 0, texts = 0;
  };
  std::map<std::string, Use> units;
  int64_t all = 0;
  for (size_t value = 0; value < texts.size(); ++value) {
    all += counts[value];
    const auto found = number_with_unit(texts[value], decimal);
    if (!found || counts[value] == 0) continue;
    auto& use = units[found->unit];
    use.cells += counts[value];
    ++use.texts;
  }
  for (const auto& [unit, use] : units) {
    if (2 * use.cells > all && use.texts > 1) return unit;
  }
  return "";
}

std::vector<int64_t> counts_of_values(const CsvColumn& column) {
  std::vector<int64_t> counts(column.values.size());
  for (const auto code : column.codes) {
    if (code >= 0) ++counts[static_cast<size_t>(code)];
  }
  return counts;
}

std::vector<int64_t> counts_of_values(const CsvColumn& column, const std::vector<int64_t>& rows) {
  std::vector<int64_t> counts(column.values.size());
  for (const auto row : rows) {
    const auto code = column.codes[static_cast<size_t>(row)];
    if (code >= 0) ++counts[static_cast<size_t>(code)];
  }
  return counts;
}

void check_no_slips(const CsvTable& table, const CsvColumn& column, const std::vector<int64_t>& counts,
                    const std::function<bool(const std::string&)>& fits, const std::string& what,
                    const std::string& advice) {
  int64_t fitting = 0, others = 0;
  int32_t first = -1;
  for (size_t value = 0; value < counts.size(); ++value) {
    const bool fit = fits(column.values[value]);
    (fit ? fitting : others) += counts[value];
    if (!fit && first < 0) first = static_cast<int32_t>(value);
  }
  if (fitting <= others || first < 0) return;
  throw Error(c10::str(place(table, first_row_with(column, first)), ": column ", shown(column.name), " holds the text ",
                       shown(column.values[static_cast<size_t>(first)]), " among ", fitting, " ", what, "; ", advice));
}

std::optional<double> to_flag(const std::string& text) {
  const auto word = lower_case(text);
  if (word == "true") return 1;
  if (word == "false") return 0;
  return std::nullopt;
}

bool is_missing_at(const CsvColumn& column, int64_t row) {
  const auto at = static_cast<size_t>(row);
  return column.texts ? column.codes[at] < 0 : std::isnan(column.numbers[at]);
}

std::string cell_text(const CsvColumn& column, int64_t row) {
  const auto at = static_cast<size_t>(row);
  return column.texts ? column.values[static_cast<size_t>(column.codes[at])] : shortest(column.numbers[at]);
}

bool counts_rows(const CsvColumn& column) {
  constexpr size_t kFewest = 20;  // of fewer nothing can be told
  const auto& numbers = column.numbers;
  if (numbers.size() < kFewest || column.missing > 0) return false;
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  const double first = *low, last = static_cast<double>(numbers.size() - 1);
  if (*high - first != last) return false;
  std::vector<bool> seen(numbers.size());
  for (const double number : numbers) {
    const double place = number - first;
    if (number != std::floor(number) || seen[static_cast<size_t>(place)]) return false;
    seen[static_cast<size_t>(place)] = true;
  }
  return true;
}

torch::Tensor numbered_cells(const CsvColumn& column) {
  if (column.texts) return torch::tensor(std::vector<int64_t>(column.codes.begin(), column.codes.end()), torch::kLong);
  std::unordered_map<double, int64_t> known;
  std::vector<int64_t> numbers;
  for (const double number : column.numbers) {
    numbers.push_back(known.emplace(number, static_cast<int64_t>(known.size())).first->second);
  }
  return torch::tensor(numbers, torch::kLong);
}

int64_t first_row_with(const CsvColumn& column, int32_t code) {
  return std::find(column.codes.begin(), column.codes.end(), code) - column.codes.begin();
}

ColumnEncoding as_written(const CsvTable& table, const CsvColumn& column, ColumnEncoding encoding) {
  if (encoding.kind != ColumnKind::kDate || !column.texts) return encoding;
  const auto name = table.name + ": column " + shown(column.name);
  encoding.date_format = date_format_like(column.values, encoding.date_format, name);
  return encoding;
}

std::vector<double> as_numbers(const CsvTable& table, const CsvColumn& column, const ColumnEncoding& encoding) {
  if (!column.texts) check_kind(table, column, encoding);
  auto numbers = column.texts ? numbers_of_texts(table, column, encoding) : column.numbers;
  for (size_t row = 0; row < numbers.size(); ++row) {
    const double number = numbers[row];
    if (fits_float32(number)) continue;
    throw Error(c10::str(place(table, static_cast<int64_t>(row)), ": column ", shown(column.name),
                         std::isinf(number) ? " is infinite; expected a finite number"
                                            : c10::str(" holds ", six_digits(number), ", ", kTooLarge)));
  }
  return numbers;
}

}  // namespace arks
