#pragma once
// A text file read as another one was: the field data of a model, or the test rows beside a file of training rows.
#include "data/column_cells.h"
#include "data/table_encoding.h"
#include "data/targets.h"

#include <filesystem>
#include <string>
#include <vector>

namespace arks {

/// What the training rows were, as far as other rows have to be read in the same way.
struct TableForm {
  const TableEncoding& encoding;
  std::vector<std::string> targets;  ///< their columns
  Targets classes;                   ///< their names; none for a regression. The values are not used
};

struct LikeTable {
  torch::Tensor inputs;        ///< [n, features] float64
  torch::Tensor targets;       ///< [n] int64, or [n] or [n,k] float64; undefined when they were not asked for
  std::vector<int64_t> lines;  ///< on which the rows begin
  SampleMarks marks;
  std::vector<ColumnCells> cells;  ///< of the input columns, when they were asked for
  std::vector<std::string> notes;
  std::vector<std::string> warnings;  ///< what may make all that is computed of them wrong (far_columns)
};

/// Columns are found by name. Those that training did not have are noted and ignored. Throws Error for one that is
/// missing, a class that is not known and a cell that its column does not take.
LikeTable read_table_like(const std::filesystem::path& path, const TableForm& form, CsvOptions options,
                          bool with_targets, bool with_cells = false);

}  // namespace arks
