#pragma once
#include "decoded_image.h"

namespace arks {

bool is_jpeg(std::string_view bytes);

/// A whole JPEG file in memory; grey or RGB. Everything libjpeg warns of is an Error, except bytes between two markers
/// and an unknown JFIF revision, which leave the picture whole. The message tells damage from kinds of JPEG that
/// libjpeg does not decode (12 bits, two components). `name` is the file, for errors.
DecodedImage decode_jpeg(std::string_view bytes, const std::string& name);

}  // namespace arks
