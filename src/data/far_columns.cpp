#include "data/far_columns.h"

#include "data/csv_cell.h"
#include "support/median.h"
#include "support/text.h"

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

/// Numbers that stand in the table; those that were filled in say nothing.
std::vector<double> present_numbers(const EncodedInputs& encoded, int64_t feature) {
  const auto column = encoded.values.select(1, feature);
  const auto present =
      (encoded.filled.defined() ? column.masked_select(encoded.filled.select(1, feature).logical_not()) : column)
          .contiguous();
  const auto* first = present.data_ptr<double>();
  return {first, first + present.numel()};
}

/// Empty where the numbers are like those of training.
std::string how_far(std::vector<double> numbers, const NumberRange& range) {
  constexpr double kBeyond = 0.5, kFactor = 10;
  constexpr size_t kEnough = 5;  // of fewer the size may be small by chance
  if (numbers.empty()) return "";
  const double median = median_of(numbers);
  const double beyond = kBeyond * (range.high - range.low);
  if (median < range.low - beyond || median > range.high + beyond) {
    return "median " + six_digits(median) + ", there " + six_digits(range.low) + " to " + six_digits(range.high);
  }
  const bool several = std::any_of(numbers.begin(), numbers.end(), [&](double n) { return n != numbers[0]; });
  if (numbers.size() < kEnough || !several || range.size == 0) return "";
  for (double& number : numbers) number = std::abs(number);
  const double size = median_of(std::move(numbers));
  if (size == 0 || (size < kFactor * range.size && size > range.size / kFactor)) return "";
  return "usual size " + six_digits(size) + ", there " + six_digits(range.size);
}

}  // namespace

std::string far_columns(const EncodedInputs& encoded, const TableEncoding& encoding) {
  std::vector<std::string> far;
  int64_t feature = 0;
  for (const auto& column : encoding.columns) {
    const bool category = column.kind == ColumnKind::kCategory;
    if (column.range) {
      const auto how = how_far(present_numbers(encoded, feature), *column.range);
      if (!how.empty()) far.push_back(shown(column.name) + " (" + how + ")");
    }
    feature += (category ? static_cast<int64_t>(column.values.size()) : 1) + (column.indicator ? 1 : 0);
  }
  if (far.empty()) return "";
  constexpr size_t kShown = 5;
  const auto count = far.size();
  far.resize(std::min(count, kShown));
  return (count == 1 ? "a column is far from the training rows: " : "columns are far from the training rows: ") +
         join(far, "; ") + (count > kShown ? c10::str("; and ", count - kShown, " more") : "") + "; other units?";
}

}  // namespace arks
