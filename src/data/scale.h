#pragma once
// The scale that numbers are on, and samples brought from one to another.
#include <arks/data/dataset.h>

#include <string>

namespace arks {

/// Numbers are (x − mean)/deviation of the user's x, in float64.
struct Scale {
  /// Undefined tensors: the user's own numbers.
  Scale(const torch::Tensor& mean, const torch::Tensor& deviation);
  /// That of numbers on this scale as seen from another one.
  Scale from(const Scale& other) const { return {(mean - other.mean) / other.deviation, deviation / other.deviation}; }
  /// Up to what other orders of summation make of the same data.
  bool is_identity() const;

  torch::Tensor mean, deviation;
};

/// What samples hold, and their targets.
Scale input_scale(const DatasetInfo& info);
Scale target_scale(const DatasetInfo& info);

/// The samples on the scales of others: each input on that of the one with the same name there, or with the same place
/// where inputs have no names, and the targets on theirs. An input that the others do not have becomes the user's own
/// where theirs are; else it keeps its scale. A view: nothing is copied.
DatasetPtr on_scales_of(const DatasetInfo& others, DatasetPtr samples);

/// A quantity of these samples that is not scaled on the scales of others, though theirs are; empty without one. Then
/// one length means two things.
std::string unscaled_among(const DatasetInfo& others, const DatasetInfo& info);

}  // namespace arks
