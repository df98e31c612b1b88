#pragma once
// Small tables, and what becomes of them.
#include "data/tabular.h"
#include "support/testing.h"
#include "support/text.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace arks::testing {

inline DataTable parse(const std::string& text, const TabularOptions& options = TabularOptions()) {
  return parse_csv_table(text, "t.csv", options);
}

/// n rows: inputs (i, 2i + 1, 7), target 10·i.
inline DataTable numbered(int64_t n) {
  DataTable table;
  const auto row = torch::arange(n, torch::kDouble);
  table.inputs = torch::stack({row, 2 * row + 1, torch::full_like(row, 7)}, 1);
  table.targets = 10 * row;
  table.info.name = "t.csv";
  table.target = "y";
  return table;
}

inline Batch all(const DatasetPtr& set) {
  return set->get(torch::arange(set->size(), torch::kLong));
}

/// The rows of numbered() that a part holds, by their targets.
inline std::vector<int64_t> rows_in(const DatasetPtr& set) {
  std::vector<int64_t> rows;
  const auto targets = all(set).targets;
  for (int64_t i = 0; i < set->size(); ++i) rows.push_back(std::lround(targets[i].item<double>() / 10));
  return rows;
}

inline TabularOptions raw() {
  return TabularOptions().standardise(false);
}

inline void write_numbers(const std::filesystem::path& path, const torch::Tensor& values) {
  const auto whole = values.to(torch::kDouble).contiguous();
  std::vector<std::string> sizes;
  for (const int64_t size : whole.sizes()) sizes.push_back(std::to_string(size));
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + join(sizes) + ",), }";
  header.resize(118, ' ');
  std::string file = "\x93NUMPY";
  file += std::string{'\1', '\0', '\x76', '\0'} + header;
  file.append(static_cast<const char*>(whole.data_ptr()), static_cast<size_t>(whole.numel()) * 8);
  testing::write_bytes(path, file, /*gzip=*/false);
}

}  // namespace arks::testing
