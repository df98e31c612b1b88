#pragma once
#include <string>
#include <string_view>

namespace arks {

/// Code points of UTF-8 text. A byte that belongs to no valid sequence becomes U+FFFD, so that any text can be drawn.
std::u32string decode_utf8(std::string_view text);

/// The inverse of decode_utf8 on valid text.
std::string encode_utf8(std::u32string_view points);

/// Valid UTF-8 on one line: decoded and encoded again, control characters (line breaks, tabs, escapes) as spaces.
std::string printable(std::string_view text);

/// Columns the text takes in a terminal: combining marks take none, East Asian wide characters two.
size_t display_width(std::string_view text);

/// At most `width` ≥ 1 columns; what is cut out of the middle is replaced by "…". The middle, since names of runs and
/// classes often differ in their last letters.
std::string shortened(std::string_view text, size_t width);

}  // namespace arks
