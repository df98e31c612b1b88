#pragma once
// One value of a random search.
#include "settings/toml_file.h"

#include <cstdint>
#include <string>
#include <vector>

namespace arks::study {

/// From where a parameter is drawn, u being uniform on [0,1):
///   {log = [a, b]}      exp(ln a + u (ln b − ln a)), 0 < a ≤ b
///   {uniform = [a, b]}  a + u (b − a)
///   {whole = [a, b]}    a whole number, a and b included
///   [x, y, z]           one of them
/// Real numbers are rounded to four significant digits, so that they can be read, typed again, and are the same on
/// every machine whatever its logarithm does with the last bit.
struct SearchDraw {
  enum class Kind { kLog, kUniform, kWhole, kOneOf };
  Kind kind = Kind::kOneOf;
  double low = 0, high = 0;
  std::vector<std::string> values;  ///< of kOneOf

  /// The value for u, as a flag takes it.
  std::string at(double u) const;
};

/// Throws Error for what is none of the above, reversed ranges, and logarithms of what is not positive.
SearchDraw read_search_draw(const toml::node& node, const std::string& where);

/// Uniform on [0,1), from nothing but the four: more draws, other parameters and other groups change none of the rest.
double search_uniform(uint64_t seed, const std::string& group, const std::string& parameter, uint64_t index);

}  // namespace arks::study
