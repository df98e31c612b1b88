#pragma once
#include <array>
#include <cstdint>

namespace arks::engine {

/// Where a convolution looks for a cell of its output; down and across.
struct Window {
  std::array<int64_t, 2> kernel{3, 3}, stride{1, 1}, padding{0, 0}, dilation{1, 1};
};

}  // namespace arks::engine
