#pragma once
#include <string_view>

namespace arks {

/// The content of a file that the build puts into the library: those of data/ and experiments/ in the source tree, and
/// docs/benchmark.json. Throws Error for a
/// name that is not there.
std::string_view embedded_file(std::string_view name);

}  // namespace arks
