#pragma once
#include "inner/landscape.h"

namespace arks {

/// L-BFGS for every sample of a batch by itself: its own curvature pairs, line search and end. A pass over the network
/// serves the samples wherever each stands in its own search, and those that are done leave the batch, so a
/// maximisation costs as many passes as its slowest sample needs, and the later ones are small. Nothing of a sample's
/// way depends on the others. Takes (2·history + 13)·8 bytes per input value.
std::unique_ptr<Maximizer> make_lbfgs(Landscape landscape, const AscentOptions& ascent, ConstraintPtr constraint);

}  // namespace arks
