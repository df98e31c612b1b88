#pragma once
#include <torch/types.h>

#include <cstdint>

namespace arks {

/// Independent streams of random numbers under one user seed, so that drawing more in one place shifts nothing
/// elsewhere.
enum class Stream : uint64_t {
  kInitialisation = 1,
  kShuffle = 2,
  kObjective = 3,
  kAttack = 4,
  kSplit = 5,
  kSamples = 6,
  kAugmentation = 7,
  kLayers = 8,  // dropout
  kSearch = 9,  // of hyper-parameters
};

/// A seed for (seed, stream, index), mixed by splitmix64 (Steele, Lea, Flood 2014) so that neighbouring seeds give
/// unrelated streams.
uint64_t mix_seed(uint64_t seed, Stream stream, uint64_t index = 0);

/// A CPU generator started from mix_seed(seed, stream, index).
torch::Generator make_generator(uint64_t seed, Stream stream, uint64_t index = 0);

}  // namespace arks
