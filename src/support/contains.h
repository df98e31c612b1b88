#pragma once
#include <algorithm>
#include <type_traits>
#include <vector>

namespace arks {

template <typename T>
bool contains(const std::vector<T>& all, const std::common_type_t<T>& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace arks
