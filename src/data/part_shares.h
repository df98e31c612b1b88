#pragma once
// Whether parts of groups have the size that was asked for: a few large groups cannot be divided in every way.
#include <arks/data/load.h>

#include <cstdint>
#include <string>
#include <vector>

namespace arks {

struct OtherShare {
  std::string part;             ///< "test", "validation"
  int64_t samples = 0, of = 0;  ///< of how many it was taken
  double asked = 0;             ///< fraction

  double share() const { return static_cast<double>(samples) / static_cast<double>(of); }
};

/// The parts whose share of the samples is 1.5 times what was asked or more, or less than it by that factor. A fraction
/// of 0 asks for nothing, and a test part that was given apart has no share.
std::vector<OtherShare> other_shares(const DataSplits& splits, double test_fraction, double validation_fraction);

}  // namespace arks
