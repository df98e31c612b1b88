#pragma once
#include <string>

namespace arks {

/// Bytes that can be taken without swapping, as the system estimates them; infinity where it does not say.
double free_memory_bytes();

/// Bytes of memory that this machine has.
double physical_memory_bytes();

/// Throws Error where that is less: "80 images of 9x9 pixels take 3 GB, but this machine has 2 GB; resize them". `what`
/// are several.
void check_fits_memory(double bytes, const std::string& what, const std::string& advice);

}  // namespace arks
