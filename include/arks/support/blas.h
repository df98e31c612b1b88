#pragma once
#include <optional>
#include <string>

namespace arks {

/// A sentence of advice when libtorch runs on the reference BLAS, which is some thirty times slower than a real one;
/// none otherwise.
std::optional<std::string> slow_blas_advice();

}  // namespace arks
