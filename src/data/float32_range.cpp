#include "data/float32_range.h"

#include "data/csv_cell.h"
#include "support/text.h"

#include <arks/support/error.h>

namespace arks {

std::vector<std::string> columns_of(const std::vector<Feature>& features) {
  std::vector<std::string> columns;
  columns.reserve(features.size());
  for (const auto& feature : features) columns.push_back(feature.column);
  return columns;
}

torch::Tensor to_float32(const torch::Tensor& scaled, const torch::Tensor& raw, const torch::Tensor& rows,
                         const EntryNames& names) {
  auto narrow = scaled.to(torch::kFloat);
  if (narrow.isfinite().all().item<bool>()) return narrow;
  const auto bad = narrow.reshape({narrow.size(0), -1}).isfinite().logical_not().nonzero()[0];
  const auto at = bad[0].item<int64_t>(), column = bad[1].item<int64_t>(), row = rows[at].item<int64_t>();
  const auto entry = [&](const torch::Tensor& all) {
    return six_digits(all.reshape({all.size(0), -1})[at][column].item<double>());
  };
  const auto here = static_cast<size_t>(row), named = static_cast<size_t>(column);
  throw Error(c10::str(
      names.file,
      here < names.lines.size() ? c10::str(", line ", names.lines[here]) : c10::str(": row ", row, " (counted from 0)"),
      named < names.columns.size() ? ": column " + shown(names.columns[named]) : std::string(), " holds ", entry(raw),
      ", ", entry(raw) == entry(scaled) ? "" : "standardised " + entry(scaled) + ", ", kTooLarge));
}

void check_deviations(const torch::Tensor& deviations, const EntryNames& names) {
  const auto flat = deviations.flatten();
  const auto vanished = flat.to(torch::kFloat).eq(0).nonzero();
  if (vanished.size(0) == 0) return;
  const auto column = vanished[0][0].item<int64_t>();
  const auto named = static_cast<size_t>(column);
  throw Error(c10::str(names.file, ": ",
                       named < names.columns.size() ? "column " + shown(names.columns[named])
                                                    : c10::str("number ", column + 1, " of a row"),
                       " has a deviation of ", six_digits(flat[column].item<double>()),
                       " in the training rows, which is 0 in float32; scale it up"));
}

}  // namespace arks
