#pragma once
// Data files as other programs write them: NPY arrays and PNG images.
#include "support/encoded_images.h"
#include "support/testing.h"

#include <map>
#include <string>

namespace arks::testing {

/// What numpy.save writes of this array.
inline void write_npy(const std::filesystem::path& path, const torch::Tensor& values) {
  static const std::map<torch::ScalarType, std::string> kNames{{torch::kByte, "|u1"},
                                                               {torch::kInt, "<i4"},
                                                               {torch::kLong, "<i8"},
                                                               {torch::kFloat, "<f4"},
                                                               {torch::kDouble, "<f8"}};
  const auto whole = values.contiguous();
  std::string shape;
  for (const int64_t size : whole.sizes()) shape += std::to_string(size) + ", ";
  auto header = "{'descr': '" + kNames.at(whole.scalar_type()) + "', 'fortran_order': False, 'shape': (" + shape + ")}";
  header.resize(118, ' ');
  write_bytes(path,
              "\x93NUMPY" + std::string{'\1', '\0', '\x76', '\0'} + header +
                  std::string(static_cast<const char*>(whole.data_ptr()), whole.nbytes()),
              /*gzip=*/false);
}

/// An image, uint8 [c,h,w], as a PNG file; the folders on the way are made.
inline void write_png(const std::filesystem::path& path, const torch::Tensor& image) {
  std::filesystem::create_directories(path.parent_path());
  write_bytes(path, encode_png(image), /*gzip=*/false);
}

/// `count` images of this shape in a class folder, 0.png, 1.png, …: every value of image i is first + i.
inline void write_class(const std::filesystem::path& folder, int64_t count, int64_t first,
                        const std::vector<int64_t>& shape = {1, 4, 3}) {
  for (int64_t i = 0; i < count; ++i) {
    write_png(folder / (std::to_string(i) + ".png"), torch::full(shape, first + i, torch::kByte));
  }
}

}  // namespace arks::testing
