#pragma once
// Tables as text, and what was read of them.
#include "data/csv.h"
#include "support/testing.h"

#include <string>
#include <vector>

namespace arks::testing {

using Row = std::vector<std::string>;

inline CsvTable parse_table(const std::string& text, const CsvOptions& options = CsvOptions()) {
  return parse_csv(text, "t.csv", options);
}

inline void refused(const std::string& text, const std::string& part) {
  expect_error([&] { parse_table(text); }, part);
}

inline Row names_of(const CsvTable& table) {
  Row names;
  for (const auto& column : table.columns) names.push_back(column.name);
  return names;
}

/// The cells of a column of texts, "-" where one is missing.
inline Row texts_of(const CsvColumn& column) {
  EXPECT_TRUE(column.texts) << column.name;
  Row cells;
  for (const auto code : column.codes) cells.push_back(code < 0 ? "-" : column.values.at(static_cast<size_t>(code)));
  return cells;
}

inline std::vector<double> numbers_of(const CsvColumn& column) {
  EXPECT_FALSE(column.texts) << column.name;
  return column.numbers;
}

}  // namespace arks::testing
