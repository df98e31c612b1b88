#pragma once
// Images as tensors, by the parts of the library that read and resize them.
#include "data/decoded_image.h"
#include "data/resize_plane.h"

#include <torch/types.h>

namespace arks::testing {

/// uint8 [c,h,w]
inline torch::Tensor read_image(const std::filesystem::path& path) {
  auto image = decode_image_file(path);
  return torch::from_blob(image.samples.data(), {image.size.height, image.size.width, image.channels}, torch::kByte)
      .permute({2, 0, 1})
      .clone(torch::MemoryFormat::Contiguous);
}

/// uint8 [c,h,w] → uint8 [c,size.height,size.width]
inline torch::Tensor resize_bilinear(const torch::Tensor& image, ImageSize size) {
  const ImageSize from{image.size(1), image.size(2)};
  const auto source = image.contiguous();
  const auto result = torch::empty({image.size(0), size.height, size.width}, torch::kByte);
  const PlaneResizer resizer(from, size);
  for (int64_t channel = 0; channel < image.size(0); ++channel) {
    resizer({source.data_ptr<uint8_t>() + channel * from.height * from.width, from.width, 1},
            result.data_ptr<uint8_t>() + channel * size.height * size.width);
  }
  return result;
}

}  // namespace arks::testing
