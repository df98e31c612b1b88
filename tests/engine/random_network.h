#pragma once
// Small networks drawn by lot, for tests of the engine.
#include "support/testing.h"

namespace arks {

struct RandomNetwork {
  torch::nn::Sequential net;
  std::vector<int64_t> shape;  // of a batch: odd extents, channels and numbers of samples
  std::string words;           // what was drawn
};

/// One to three convolutions, each with batch norm, activation and pooling or without, in any order, then one or two
/// dense layers; the same for the same seed.
RandomNetwork random_network(uint64_t seed);

}  // namespace arks
