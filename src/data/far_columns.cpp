#include "data/far_columns.h"

#include "data/csv_cell.h"
#include "data/far_numbers.h"
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

/// Of numbers that are usually like those of training: a few that are not. Empty without any.
std::string how_many_far(const std::vector<double>& numbers, const NumberRange& range) {
  const auto far = far_numbers(numbers, range.low, range.high);
  if (far.count == 0) return "";
  return c10::str(far.count, " of ", count_of(static_cast<int64_t>(numbers.size()), "numbers"), " beyond ",
                  six_digits(range.low), " to ", six_digits(range.high), " by more than that range, such as ",
                  six_digits(far.farthest));
}

/// Empty where the numbers usually are like those of training.
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
  bool units = false, codes = false;  // what may be the reason
  int64_t feature = 0;
  for (const auto& column : encoding.columns) {
    const bool category = column.kind == ColumnKind::kCategory;
    if (column.range) {
      const auto numbers = present_numbers(encoded, feature);
      auto how = how_far(numbers, *column.range);
      const bool usually = !how.empty();
      if (!usually) how = how_many_far(numbers, *column.range);
      if (!how.empty()) {
        (usually ? units : codes) = true;
        far.push_back(shown(column.name) + " (" + how + ")");
      }
    }
    feature += (category ? static_cast<int64_t>(column.values.size()) : 1) + (column.indicator ? 1 : 0);
  }
  if (far.empty()) return "";
  constexpr size_t kShown = 5;
  const auto count = far.size();
  far.resize(std::min(count, kShown));
  return (count == 1 ? "a column is far from the training rows: " : "columns are far from the training rows: ") +
         join(far, "; ") + (count > kShown ? c10::str("; and ", count - kShown, " more") : "") + "; " +
         (units ? "other units" : "") + (units && codes ? ", or " : "") + (codes ? "codes for missing values" : "") +
         "?";
}

}  // namespace arks
