#pragma once
// Small networks drawn by lot, for tests of the engine.
#include "support/testing.h"

namespace arks {

struct RandomNetwork {
  Model net;
  std::vector<int64_t> shape;  // of a batch: odd extents, channels and numbers of samples
  std::string words;           // what was drawn
};

/// One to three convolutions, each with batch norm, activation and pooling or without, in any order, then one or two
/// dense layers; the same for the same seed.
RandomNetwork random_network(uint64_t seed);

/// Convolutions, activations, poolings, batch norms, sums and concatenations, each of values drawn from all that are
/// there, the sample among them; then a dense layer. A value may be read by many, and twice by one. All that is drawn
/// is needed for the output. Networks with batch norm are smooth, and half of the others: no tie excuses them.
RandomNetwork random_graph(uint64_t seed);

}  // namespace arks
