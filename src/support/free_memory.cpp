#include "support/free_memory.h"

#include "support/text.h"

#include <arks/support/error.h>
#include <unistd.h>

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

double physical_memory_bytes() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void check_fits_memory(double bytes, const std::string& what, const std::string& advice) {
  const double memory = physical_memory_bytes();
  ARKS_CHECK(bytes <= memory, what, " take ", human_bytes(bytes), ", but this machine has ", human_bytes(memory), "; ",
             advice);
}

}  // namespace arks
