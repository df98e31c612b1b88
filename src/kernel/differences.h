#pragma once
#include <torch/types.h>

namespace arks {

/// u − x, one row per sample: [n,...] → [n,d]. Throws Error when the shapes differ.
torch::Tensor difference(const torch::Tensor& u, const torch::Tensor& x);

/// ‖a_i − b_j‖ in the norm of that order, [m,...] and [n,...] → [m,n], no graph. Throws Error when samples differ in
/// shape.
torch::Tensor all_distances(const torch::Tensor& a, const torch::Tensor& b, double order);

}  // namespace arks
