#include "data/kept_columns.h"

#include "support/contains.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks {

namespace {

std::vector<std::string> chosen(const CsvTable& table, const std::string& list, const std::string& flag) {
  std::vector<std::string> all;
  for (const auto& column : table.columns) all.push_back(column.name);
  if (list == "all" && !contains(all, list)) return all;
  std::vector<std::string> names;
  for (const auto& name : names_in(list, flag)) {
    ARKS_CHECK(!contains(names, name), flag, ": column '", name, "' is listed twice");
    try {
      find_column(table, name);
    } catch (const Error& error) {
      throw Error(flag + ": " + error.what());
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string> KeptColumns::cells(int64_t row) const {
  std::vector<std::string> cells;
  for (const auto& column : columns) {
    const auto code = column.codes[static_cast<size_t>(row)];
    cells.push_back(code < 0 ? std::string() : column.values[static_cast<size_t>(code)]);
  }
  return cells;
}

KeptColumns read_kept_columns(const std::filesystem::path& path, CsvOptions options, const std::string& list,
                              const std::string& flag) {
  auto table = read_csv(path, options);
  KeptColumns kept{chosen(table, list, flag), {}};
  const auto is_number = [&](const std::string& name) { return !table.columns[find_column(table, name)].texts; };
  if (std::any_of(kept.names.begin(), kept.names.end(), is_number)) {  // numbers are not as they were written
    options.separator = table.separator;
    options.decimal = table.decimal;
    options.header = table.header;
    options.as_texts = kept.names;
    table = read_csv(path, options);
  }
  for (const auto& name : kept.names) kept.columns.push_back(std::move(table.columns[find_column(table, name)]));
  return kept;
}

}  // namespace arks
