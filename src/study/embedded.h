#pragma once
#include <string_view>

namespace arks {

/// The content of a file of experiments/ in the source tree, or of docs/benchmark.json, which the build puts into the
/// library. Throws Error for a name that is not there.
std::string_view study_file(std::string_view name);

}  // namespace arks
