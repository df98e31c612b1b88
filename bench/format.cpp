#include "format.h"

#include <fmt/format.h>

namespace arks::bench {

std::string number(double value, int digits) {
  return fmt::format("{:.{}f}", value, digits);
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return number(seconds * 1e6, 1) + " us";
  if (seconds < 0.1) return number(seconds * 1e3, 1) + " ms";
  return seconds < 1 ? number(seconds * 1e3, 0) + " ms" : number(seconds, 2) + " s";
}

std::string counted(size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace arks::bench
