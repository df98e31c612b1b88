#pragma once
// The cells of a table column by column, in the user's own units: for descriptions, not for models.
#include "data/csv.h"
#include "data/table_encoding.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace arks {

/// One input column of a table. Missing cells are counted only.
struct ColumnCells {
  std::string name;
  ColumnKind kind = ColumnKind::kNumber;
  std::vector<double> numbers;           ///< of numbers and dates, in days since 1970
  std::map<std::string, int64_t> texts;  ///< of categories and of True and False: how often each occurs
  int64_t missing = 0;
};

/// The columns that are inputs under this encoding, in its order, wherever they stand in the file. Throws Error for a
/// column that is not there, and for a cell of another kind. Values that the encoding does not know are cells as all
/// others are.
std::vector<ColumnCells> read_cells(const std::filesystem::path& path, const TableEncoding& encoding,
                                    const CsvOptions& options);

/// The inputs of a table without a text file, [n,...] as a model takes them, as numbers in the user's units.
std::vector<ColumnCells> cells_of(const torch::Tensor& inputs, const DatasetInfo& info);

/// The same encoding for other data, whose missing cells are filled in even where training refuses them.
TableEncoding filling_missing(TableEncoding encoding);

}  // namespace arks
