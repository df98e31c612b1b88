#pragma once
// Columns of a text file as they stand there, to be copied beside what was computed from its rows.
#include "data/csv.h"

#include <filesystem>
#include <string>
#include <vector>

namespace arks {

struct KeptColumns {
  std::vector<std::string> names;
  std::vector<CsvColumn> columns;  ///< texts

  /// The cells of a row; a missing one is empty.
  std::vector<std::string> cells(int64_t row) const;
};

/// The columns of `list` (names_in), or all for "all", unless a column is called so. The rows are those that read_csv
/// finds with these options. Throws Error with the nearest name for a column that is not there, and for one that is
/// listed twice.
KeptColumns read_kept_columns(const std::filesystem::path& path, CsvOptions options, const std::string& list,
                              const std::string& flag);

}  // namespace arks
