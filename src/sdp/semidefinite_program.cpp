#include "sdp/semidefinite_program.h"

#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks {

SemidefiniteProgram::SemidefiniteProgram(std::vector<double> objective, std::vector<int64_t> block_sizes)
    : objective_(std::move(objective)), block_sizes_(std::move(block_sizes)) {
  ARKS_CHECK(!objective_.empty(), "semidefinite program: at least one variable is needed");
  ARKS_CHECK(!block_sizes_.empty(), "semidefinite program: at least one block is needed");
  for (const double value : objective_) {
    ARKS_CHECK(std::isfinite(value), "semidefinite program: the objective must be finite, got ", value);
  }
  for (const int64_t size : block_sizes_) {
    ARKS_CHECK(size > 0, "semidefinite program: a block must have at least one row, got ", size);
  }
}

void SemidefiniteProgram::set(int64_t matrix, int64_t block, int64_t row, int64_t column, double value) {
  ARKS_CHECK(block >= 0 && block < static_cast<int64_t>(block_sizes_.size()), "semidefinite program: block ", block,
             " is not one of the ", block_sizes_.size());
  const int64_t size = block_sizes_[static_cast<size_t>(block)];
  ARKS_CHECK(std::min(row, column) >= 0 && std::max(row, column) < size, "semidefinite program: entry (", row, ", ",
             column, ") is outside block ", block, ", which is ", size, "×", size);
  ARKS_CHECK(std::isfinite(value), "semidefinite program: entries must be finite, got ", value, " at (", row, ", ",
             column, ") of block ", block);
  const auto key = std::tuple(matrix, block, std::min(row, column), std::max(row, column));
  if (value == 0) {
    entries_.erase(key);
  } else {
    entries_[key] = value;
  }
}

void SemidefiniteProgram::set_coefficient(int64_t variable, int64_t block, int64_t row, int64_t column, double value) {
  ARKS_CHECK(variable >= 0 && variable < num_variables(), "semidefinite program: variable ", variable,
             " is not one of the ", num_variables());
  set(variable + 1, block, row, column, value);
}

void SemidefiniteProgram::set_constant(int64_t block, int64_t row, int64_t column, double value) {
  set(0, block, row, column, value);
}

std::string SemidefiniteProgram::sparse_format() const {
  std::vector<std::string> sizes, costs;
  for (const int64_t size : block_sizes_) sizes.push_back(std::to_string(size));
  for (const double cost : objective_) costs.push_back(shortest(cost));
  std::string text =
      c10::str(num_variables(), "\n", block_sizes_.size(), "\n", join(sizes, " "), "\n", join(costs, " "), "\n");
  for (const auto& [key, value] : entries_) {
    const auto& [matrix, block, row, column] = key;
    text += c10::str(matrix, " ", block + 1, " ", row + 1, " ", column + 1, " ", shortest(value), "\n");
  }
  return text;
}

}  // namespace arks
