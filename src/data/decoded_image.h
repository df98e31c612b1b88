#pragma once
#include <arks/data/image_files.h>
#include <arks/support/error.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace arks {

/// An image as the decoders leave it: [h,w,c] bytes, c = 1 or 3.
struct DecodedImage {
  ImageSize size;
  int64_t channels = 0;
  std::vector<uint8_t> samples;
};

/// The largest number of pixels that are decoded.
constexpr int64_t kMaxImagePixels = int64_t{1} << 27;

/// Throws Error when the image is larger than that, or a side longer than kMaxImageSide. `name` is the file.
inline void check_image_size(ImageSize size, const std::string& name) {
  ARKS_CHECK(size.height > 0 && size.width > 0 && size.height <= kMaxImageSide && size.width <= kMaxImageSide &&
                 size.height <= kMaxImagePixels / size.width,
             name, ": the header announces ", size.height, "x", size.width, " pixels (height x width), at most ",
             kMaxImagePixels, " are accepted");
}

/// What read_image reads, before it becomes a tensor. Uses nothing of torch: safe on any thread.
DecodedImage decode_image_file(const std::filesystem::path& path);

}  // namespace arks
