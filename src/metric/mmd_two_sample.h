#pragma once
#include <torch/types.h>

#include <cstdint>

namespace arks {

struct MmdTwoSample {
  double squared = 0;    ///< unbiased, so that it may be negative where there is no difference
  double bandwidth = 0;  ///< σ of the Gaussian kernel: the median distance (median_bandwidth)
  double p_value = 1;    ///< at least 1/(permutations + 1)
  int64_t permutations = 0;

  double mmd() const;  ///< √ of it, 0 where it is negative
};

/// Whether x [m,...] and z [n,...] come from one distribution, m, n ≥ 2. The unbiased estimate of Gretton et al. ("A
/// Kernel Two-Sample Test", 2012, lemma 6),
///   MMD² = mean over i≠j of k(x_i,x_j) + mean over i≠j of k(z_i,z_j) − 2 mean of k(x_i,z_j),
/// with a Gaussian kernel, and its p-value under permutations of the pooled samples: the part of them, the given order
/// counted as one, with an estimate at least as large. Exact for any m and n: under no difference P(p ≤ α) ≤ α. Holds
/// the kernel matrix of all samples, (m+n)² numbers. Where all samples coincide, there is no difference.
MmdTwoSample mmd_two_sample(const torch::Tensor& x, const torch::Tensor& z, int64_t permutations,
                            torch::Generator& generator);

}  // namespace arks
