#pragma once

namespace arks {

/// Bytes that can be taken without swapping, as the system estimates them; infinity where it does not say.
double free_memory_bytes();

}  // namespace arks
