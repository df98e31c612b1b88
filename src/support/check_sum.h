#pragma once
#include <cstdint>
#include <string>

namespace arks {

/// 64-bit FNV-1a (Fowler, Noll, Vo): the same on every machine, which std::hash need not be.
inline uint64_t text_check_sum(const std::string& text) {
  uint64_t sum = 0xcbf29ce484222325U;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return sum;
}

}  // namespace arks
