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

/// The cells of a table that is about to be encoded: encode() does not tell categories as they stand there and which
/// cells are missing, and it uses the columns up. So this looks at them before.
class TableCells {
 public:
  /// Throws Error for a column that is not there.
  TableCells(const CsvTable& table, const TableEncoding& encoding);

  /// The columns that are inputs, in the order of the encoding, wherever they stand in the file. `values` are what
  /// encode() made of the table, with missing cells filled in.
  std::vector<ColumnCells> columns(const torch::Tensor& values) const;

 private:
  struct Presence {
    std::vector<bool> present;
    std::map<std::string, int64_t> texts;  // of categories
  };
  static Presence look_at(const CsvColumn& column, ColumnKind kind, int64_t rows);

  std::vector<ColumnEncoding> encodings_;
  std::vector<Presence> presences_;
};

/// The same of a file, whose target columns, with these names, are not looked at. Throws Error also for a cell of
/// another kind. Values that the encoding does not know are cells as all others are.
std::vector<ColumnCells> read_cells(const std::filesystem::path& path, const TableEncoding& encoding,
                                    const CsvOptions& options, const std::vector<std::string>& targets);

/// The inputs of a table without a text file, [n,...] as a model takes them, as numbers in the user's units.
std::vector<ColumnCells> cells_of(const torch::Tensor& inputs, const DatasetInfo& info);

/// The same encoding for other data, whose missing cells are filled in even where training refuses them.
TableEncoding filling_missing(TableEncoding encoding);

}  // namespace arks
