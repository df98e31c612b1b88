#pragma once
// The columns of a table for people: kind, range or values, missing cells, and what will be done with each.
#include "data/table_encoding.h"

#include <arks/data/load.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace arks::cli {

struct ColumnRow {
  std::string name, kind, range;
  int64_t missing = 0;
  std::string treatment;
};

struct ColumnView {
  std::vector<ColumnRow> rows;
  std::vector<std::string> problems;  ///< of the columns that cannot be inputs as they are, a line each
};

/// Of a table whose training rows gave this encoding.
ColumnView view_columns(const CsvTable& table, const std::string& target, const TableEncoding& encoding,
                        bool standardised);

/// Of one that cannot be used as it is: what its training rows show, as they would in training. Throws Error for a file
/// that cannot be read.
ColumnView view_unusable(const std::filesystem::path& file, const TabularOptions& options);

/// A table of the first columns; empty when there are none.
std::string to_text(const ColumnView& view);
nlohmann::ordered_json to_json(const ColumnView& view);

}  // namespace arks::cli
