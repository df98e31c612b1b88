#pragma once
#include <arks/data/dataset.h>

#include <cstdint>

namespace arks {

/// How many samples of `some` are also in `others`: the same inputs and the same target, to the bit. Checksums of 64
/// bits are compared, so that a million rows need 16 MB.
int64_t repeated_samples(const Dataset& some, const Dataset& others);

}  // namespace arks
