#include "cli/toml_text.h"

#include <arks/support/text.h>

#include <array>
#include <cmath>
#include <cstdio>

namespace arks::cli {

std::string quoted(const std::string& text) {
  std::string escaped = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      escaped += code.data();
      continue;
    }
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped + "\"";
}

std::string real_of(double value) {
  // the exponent form needs a point as little as the other
  const auto digits = shortest(value);
  if (!std::isfinite(value)) return digits;
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

std::string list_of(const std::vector<double>& values) {
  std::vector<std::string> parts;
  for (const double value : values) parts.push_back(real_of(value));
  return "[" + join(parts) + "]";
}

}  // namespace arks::cli
