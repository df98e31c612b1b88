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
  bool transparent = false;  ///< some pixels were not opaque; what is here are their colours all the same
  std::vector<uint8_t> samples;
};

/// The largest number of pixels that are decoded.
constexpr int64_t kMaxImagePixels = int64_t{1} << 27;

/// Throws Error when the image is larger than that, or a side longer than kMaxImageSide. `name` is the file.
inline void check_image_size(ImageSize size, const std::string& name) {
  ARKS_CHECK(size.height > 0 && size.width > 0 && size.height <= kMaxImageSide && size.width <= kMaxImageSide &&
                 size.height <= kMaxImagePixels / size.width,
             name, ": the header announces ", size.height, "x", size.width, " pixels (height x width); at most ",
             kMaxImagePixels, " are accepted");
}

/// Reads a PNG or JPEG file, told apart by content and not by name, the values as they are in the file (no gamma, no
/// colour profile, no EXIF rotation). Uses nothing of torch: safe on any thread.
///
/// PNG: palettes become RGB, 1, 2 and 4 bits of grey are spread over 0 … 255, 16 bits are rounded to 8. An alpha
/// channel or transparent colour is left out: colours are as stored, whatever would shine through. JPEG: baseline and
/// progressive, 8 bits. CMYK and YCCK are refused, since their way to RGB is not in the file.
///
/// Throws Error naming the file when it cannot be opened, is empty, neither PNG nor JPEG, damaged, cut off (libjpeg
/// alone would fill up with grey), one of the kinds refused above, or larger than 2^27 pixels. Dimensions are checked
/// before memory is taken.
DecodedImage decode_image_file(const std::filesystem::path& path);

}  // namespace arks
