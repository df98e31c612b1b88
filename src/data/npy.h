#pragma once
#include <torch/types.h>

#include <filesystem>
#include <functional>
#include <vector>

namespace arks {

/// What an NPY file says of the array in it.
struct NpyHeader {
  torch::ScalarType type = torch::kFloat;
  bool fortran_order = false;  ///< the first dimension runs fastest
  std::vector<int64_t> shape;
};

/// Reads an NPY file, NumPy's format for one array (numpy.save), versions 1 and 2:
///   "\x93NUMPY", the version, the length of the header, the header as a Python dictionary
///   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}, then the values.
/// Types: little-endian f4, f8, i4, i8 and u1; C and Fortran order. The tensor has the type and shape of the file.
/// Throws Error naming the file, what was found and what was expected when it cannot be opened, is another format, of
/// another type, has no values or no dimension, or is shorter or longer than its header announces; sizes are compared
/// before memory is taken. NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays", 2007.
torch::Tensor read_npy(const std::filesystem::path& path);

/// The header alone; errors as for read_npy, which are all found without reading the values.
NpyHeader read_npy_header(const std::filesystem::path& path);

/// The same array in pieces along its first dimension, `at_once` rows [k,...] at a time, the number of the first of
/// them with each: for arrays that are to become another type or layout without being in memory twice. (A file in
/// Fortran order is, since its rows are scattered.)
void read_npy_rows(const std::filesystem::path& path, int64_t at_once,
                   const std::function<void(int64_t first, const torch::Tensor& rows)>& take);

}  // namespace arks
