#pragma once
#include "decoded_image.h"

namespace arks {

bool is_png(std::string_view bytes);

/// A whole PNG file in memory; grey or RGB, converted as image_file.h says. `name` is the file, for errors.
DecodedImage decode_png(std::string_view bytes, const std::string& name);

}  // namespace arks
