#pragma once
#include <cstddef>
#include <string>

namespace arks::bench {

/// With that many digits after the point.
std::string number(double value, int digits);

/// "2.31 s", "950 ms", "12.3 ms", "7.2 us"
std::string duration(double seconds);

/// "1 round", "5 rounds"
std::string counted(size_t count, const std::string& what);

}  // namespace arks::bench
