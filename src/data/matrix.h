#pragma once
#include <torch/types.h>

#include <filesystem>

namespace arks {

/// A matrix of numbers, [rows,columns] float64: an NPY file when the name ends in .npy, else a text with one row a
/// line, numbers separated by commas or blanks, without a header. Throws Error naming file and line when a row is
/// longer or shorter than the first, a cell is no finite number, or there are no rows.
torch::Tensor read_matrix(const std::filesystem::path& path);

}  // namespace arks
