#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>

namespace arks {

/// An IDX file as read.
struct IdxFile {
  torch::Tensor tensor;  ///< uint8, in the shape that the header gives
  uint32_t crc32 = 0;    ///< of the whole content after decompression, the header included
};

/// Reads an IDX file, the format of MNIST and its successors:
///   2 zero bytes, the type, the number of dimensions d, d sizes (32 bit, big-endian), then the values, last index
///   fastest.
/// Only type 0x08 (uint8) and 1 to 4 dimensions. Plain or gzipped, told apart by content and not by name. Throws Error
/// naming the file, what was found and what was expected when it cannot be opened, is another format, is cut off, goes
/// on after its last value, or fails gzip's own check. Memory is taken only after the announced size was found possible
/// for the size of the file on disk. As with gzip itself, bytes behind the end of a whole gzip stream are ignored.
/// LeCun, Cortes, Burges, "The MNIST database of handwritten digits", 1998.
IdxFile read_idx_file(const std::filesystem::path& path);

/// The tensor alone.
torch::Tensor read_idx(const std::filesystem::path& path);

}  // namespace arks
