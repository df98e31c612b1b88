#pragma once
// Settings of the whole process that decide the speed of training. They are left to programs; the tool makes them.
#include <optional>
#include <string>

namespace arks {

/// A sentence of advice when libtorch runs on the reference BLAS, which is some thirty times slower than a real one;
/// none otherwise.
std::optional<std::string> slow_blas_advice();

/// Gives an OpenBLAS that has threads of its own (Debian's libopenblas0-pthread) this many; does nothing with any other
/// BLAS. Its threads spin while they wait, and so take time from torch's: with one BLAS thread a batch of ARKS on two
/// cores takes about three quarters of the time.
void set_blas_threads(int threads);

/// Tells glibc to keep memory that was freed. Activations of a few MB come and go in every step; left alone, it gives
/// them back to the system each time and takes the page faults again.
void keep_freed_memory();

}  // namespace arks
