#pragma once
#include <torch/types.h>

#include <filesystem>

namespace arks {

/// Reads a PNG or JPEG file, told apart by content and not by name: uint8 [c,h,w], c = 1 (grey) or 3 (RGB), the values
/// as they are in the file (no gamma, no colour profile, no EXIF rotation).
///
/// PNG: palettes become RGB, 1, 2 and 4 bits of grey are spread over 0 … 255, 16 bits are rounded to 8. An alpha
/// channel or transparent colour is dropped where every pixel is opaque and refused otherwise, since what shows through
/// is not in the file. JPEG: baseline and progressive, 8 bits. CMYK and YCCK are refused, since their way to RGB is not
/// in the file.
///
/// Throws Error naming the file when it cannot be opened, is empty, neither PNG nor JPEG, damaged, cut off (libjpeg
/// alone would fill up with grey), one of the kinds refused above, or larger than 2^27 pixels. Dimensions are checked
/// before memory is taken.
torch::Tensor read_image(const std::filesystem::path& path);

}  // namespace arks
