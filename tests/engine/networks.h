#pragma once
// A network on its plan beside the same one in float64 on libtorch.
#include <arks/engine/network.h>

#include "support/testing.h"

namespace arks {

enum class Mode { kEvaluation, kTraining };

/// Predictions within 1e-4 of the largest, gradients of inputs and weights within 1e-3, running statistics within 1e-5.
/// Where the gradient of a sample is further off, it must have a near tie: a max pooling whose two largest, or an
/// activation with a kink whose argument, are within rounding; and there may be few of them. In evaluation mode weights
/// are frozen when the network has batch norm; in training mode it can make a gradient that is zero but for rounding,
/// and weights are held to a hundredth of the largest gradient of all at least.
void expect_agreement(const Model& model, std::vector<int64_t> shape, Mode mode = Mode::kTraining, uint64_t seed = 1);

/// Gives batch norms weights that are neither zero nor one.
void draw_norms(const Model& model);

/// Makes running statistics that are neither zero nor one: some batches in training mode on libtorch.
void move_statistics(const Model& model, std::vector<int64_t> shape);

/// |a − b| at most, over |b| at most.
double relative_difference(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace arks
