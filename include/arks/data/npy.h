#pragma once
#include <torch/types.h>

#include <filesystem>

namespace arks {

/// Reads an NPY file, NumPy's format for one array (numpy.save), versions 1 and 2:
///   "\x93NUMPY", the version, the length of the header, the header as a Python dictionary
///   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}, then the values.
/// Types: little-endian f4, f8, i4, i8 and u1; C and Fortran order. The tensor has the type and shape of the file.
/// Throws Error naming the file, what was found and what was expected when it cannot be opened, is another format, of
/// another type, has no values, or is shorter or longer than its header announces; sizes are compared before memory is
/// taken. NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays", 2007.
torch::Tensor read_npy(const std::filesystem::path& path);

}  // namespace arks
