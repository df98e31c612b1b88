#pragma once
#include <arks/kernel/kernel.h>

namespace arks {

/// Maximum mean discrepancy between two samples x [m,...] and z [n,...]: the distance of their mean embeddings,
///   MMD² = E k(x,x') + E k(z,z') − 2 E k(x,z).
/// It is 0 for equal distributions; k is at most 1, so MMD ≤ √2. σ → 0 counts equal points only, σ → ∞ gives 0.
/// Everything is computed in float64 and in blocks, so that memory does not grow with m·n.
/// Gretton et al., "A Kernel Two-Sample Test", 2012.

/// The V-statistic: means over all pairs, a sample with itself among them. Biased upwards; not negative when k is
/// positive definite.
double mmd_squared(const Kernel& kernel, const torch::Tensor& x, const torch::Tensor& z);

/// √ of the V-statistic.
double mmd(const Kernel& kernel, const torch::Tensor& x, const torch::Tensor& z);

/// The median heuristic: the median Euclidean distance between two different samples of x and z together (of an even
/// number the lower middle one), to be taken as the σ of a kernel. Exact. Throws Error when it is zero.
double median_bandwidth(const torch::Tensor& x, const torch::Tensor& z);

}  // namespace arks
