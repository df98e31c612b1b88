#pragma once
#include <string>
#include <string_view>

namespace arks {

/// The same PNG with at most 256 colours, at about a third of the size: for drawings, whose thousands of colours are
/// shades at the edges of lines. The commonest colours stay exact, the others are put together by median cut (Heckbert,
/// "Color image quantization for frame buffer display", 1982). What cannot be read comes back as it is.
std::string with_palette(std::string_view png);

}  // namespace arks
