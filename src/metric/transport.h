#pragma once
// How far samples would have to be moved to become others.
#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace arks {

/// The permutation π with the smallest Σ cost[i][π(i)], cost [n,n] finite; exact, O(n³) time. Shortest augmenting paths
/// with dual prices: Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment
/// problems", 1987.
std::vector<int64_t> solve_assignment(const torch::Tensor& cost);

/// The squared distances under the best assignment of two samples of one size, [n,...] each → [n] float64 in the order
/// of x. Their mean is W₂² of the samples.
torch::Tensor assigned_costs(const torch::Tensor& x, const torch::Tensor& z);

/// W₂² of each input alone, x [m,...] and z [n,...] → [d] float64: the mean of (F_x⁻¹ − F_z⁻¹)². Their sum is a lower
/// bound of W₂² of the samples, since a coupling of the samples couples each input, too.
torch::Tensor marginal_costs(const torch::Tensor& x, const torch::Tensor& z);

/// What is known of W₂ between the distributions that two samples come from, as root mean square lengths. Samples of
/// one distribution are some way apart, too; how far is seen on x alone.
struct TransportEstimate {
  double lower = 0;           ///< √(Σ marginal_costs) of all samples: no less between these samples
  double lower_sampling = 0;  ///< the same between samples of both sizes, drawn from x with replacement
  double upper = 0;  ///< √ of the mean of assigned_costs of random parts of both: on average no less than between all
                     ///< of them, by convexity
  double sampling = 0;    ///< the same between two parts of x
  double error = 0;       ///< standard error of upper² − sampling², from the differences sample by sample
  int64_t assigned = 0;   ///< samples in each of these parts
  double mean_shift = 0;  ///< √ of the unbiased estimate of |mean of x − mean of z|², which is no more than W₂²
  torch::Tensor inputs;   ///< [d] W₂ of each input alone, its sampling part taken off

  /// `upper` is of a part of the samples, and of a few a part may happen to lie nearer than all of them.
  double at_most() const;

  /// What is left without the sampling parts: √(lower² − lower_sampling²) or mean_shift, which are known well, or
  /// √(upper² − sampling²) where that is larger by more than twice its error, so that inputs move together. When z is x
  /// shifted, each is the shift. 0 where sampling explains all.
  double length() const;
};

/// From at most `most` samples of each side. x has at least 2 samples, z at least 1.
TransportEstimate estimate_transport(const torch::Tensor& x, const torch::Tensor& z, int64_t most,
                                     torch::Generator& generator);

}  // namespace arks
