#pragma once
// Models compute in float32: numbers that it cannot hold are refused, with the place where they stand.
#include <arks/data/dataset.h>
#include <torch/types.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace arks {

constexpr const char* kTooLarge = "which is too large for float32; mend it, or scale it down";

/// What is no number does; infinity does not.
inline bool fits_float32(double number) {
  return !(std::abs(number) > static_cast<double>(std::numeric_limits<float>::max()));
}

/// What messages call the numbers of a table.
struct EntryNames {
  std::string file;
  std::vector<int64_t> lines;        ///< of the rows of a text file; none: rows are counted from 0
  std::vector<std::string> columns;  ///< one for each number of a row; none: they have no names
};

/// The column of each input.
std::vector<std::string> columns_of(const std::vector<Feature>& features);

/// `scaled` [n,...] as float32. Throws Error for the first number that does not fit, which stands in this row of the
/// table (rows [n] int64), where it is that of `raw`.
torch::Tensor to_float32(const torch::Tensor& scaled, const torch::Tensor& raw, const torch::Tensor& rows,
                         const EntryNames& names);

/// Throws Error for the first of these deviations of a row's numbers that float32 takes for 0.
void check_deviations(const torch::Tensor& deviations, const EntryNames& names);

}  // namespace arks
