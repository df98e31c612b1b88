#include "support/free_memory.h"

#include <fstream>
#include <limits>
#include <string>

namespace arks {

double free_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  double kilobytes = 0;
  while (file >> word) {
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace arks
