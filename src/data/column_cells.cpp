#include "data/column_cells.h"

#include "data/column_values.h"
#include "support/samples.h"

namespace arks {

namespace {

int64_t inputs_of(const ColumnEncoding& column) {
  const auto own = column.kind == ColumnKind::kCategory ? static_cast<int64_t>(column.values.size()) : 1;
  return own + (column.indicator ? 1 : 0);
}

}  // namespace

TableEncoding filling_missing(TableEncoding encoding) {
  if (encoding.missing == Missing::kError) encoding.missing = Missing::kMedian;
  return encoding;
}

TableCells::Presence TableCells::look_at(const CsvColumn& column, ColumnKind kind, int64_t rows) {
  Presence found;
  for (int64_t row = 0; row < rows; ++row) {
    found.present.push_back(!is_missing_at(column, row));
    // a category that came as numbers is refused by encode()
    if (kind != ColumnKind::kCategory || !column.texts || !found.present.back()) continue;
    ++found.texts[column.values[static_cast<size_t>(column.codes[static_cast<size_t>(row)])]];
  }
  return found;
}

TableCells::TableCells(const CsvTable& table, const TableEncoding& encoding) : encodings_(encoding.columns) {
  for (const auto& column : encodings_) {
    presences_.push_back(look_at(table.columns[find_column(table, column.name)], column.kind, table.rows()));
  }
}

std::vector<ColumnCells> TableCells::columns(const torch::Tensor& values) const {
  std::vector<ColumnCells> cells;
  int64_t input = 0;
  for (size_t i = 0; i < encodings_.size(); ++i) {
    const auto& column = encodings_[i];
    ColumnCells found{column.name, column.kind, {}, presences_[i].texts, 0};
    const auto numbers = values.select(1, input).contiguous();
    const auto* number = numbers.data_ptr<double>();
    for (size_t row = 0; row < presences_[i].present.size(); ++row) {
      if (!presences_[i].present[row]) {
        ++found.missing;
      } else if (column.kind == ColumnKind::kFlag) {
        ++found.texts[number[row] != 0 ? "True" : "False"];
      } else if (column.kind != ColumnKind::kCategory) {
        found.numbers.push_back(number[row]);
      }
    }
    cells.push_back(std::move(found));
    input += inputs_of(column);
  }
  return cells;
}

std::vector<ColumnCells> read_cells(const std::filesystem::path& path, const TableEncoding& encoding,
                                    const CsvOptions& options, const std::vector<std::string>& targets) {
  auto table = read_csv(path, csv_options(encoding, options, targets, /*with_targets=*/true));
  const TableCells cells(table, encoding);
  return cells.columns(encode(table, filling_missing(encoding)).values);
}

std::vector<ColumnCells> cells_of(const torch::Tensor& inputs, const DatasetInfo& info) {
  auto values = rows(inputs.to(torch::kDouble));
  if (info.input_mean.defined()) values = values * info.input_deviation + info.input_mean;
  std::vector<ColumnCells> cells;
  for (int64_t j = 0; j < values.size(1); ++j) {
    const auto column = values.select(1, j).contiguous();
    const auto known = static_cast<size_t>(j) < info.features.size();
    ColumnCells found;
    found.name = known ? info.features[static_cast<size_t>(j)].name : c10::str("input ", j + 1);
    found.numbers.assign(column.data_ptr<double>(), column.data_ptr<double>() + column.numel());
    cells.push_back(std::move(found));
  }
  return cells;
}

}  // namespace arks
