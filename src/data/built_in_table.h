#pragma once
// The small tables that are part of the library.
#include "data/registry.h"
#include "data/tabular.h"

namespace arks {

/// A file of the source tree's data/ folder and what it must be.
struct BuiltInTable {
  const char* name = "";  // of the set; its file is name.csv
  const char* description = "";
  int64_t rows = 0;
  uint32_t crc32 = 0;  // of the file
  DataSplits (*load)(const TabularOptions& options) = nullptr;
};

/// All rows of the embedded file name.csv.
DataTable built_in_table(const std::string& name, const TabularOptions& options);

/// The same, whose columns become inputs when the table is divided.
DataTable built_in_columns(const std::string& name, const TabularOptions& options);

/// The line in the table of known data sets.
DatasetEntry built_in_entry(const BuiltInTable& table);

}  // namespace arks
