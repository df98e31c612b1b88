#pragma once
#include <string_view>

namespace arks {

/// The content of a file of data/ in the source tree, which the build puts into the library. Throws Error for a name
/// that is not there.
std::string_view embedded_file(std::string_view name);

}  // namespace arks
