#pragma once
#include <arks/kernel/cost.h>

namespace arks {

/// What it costs to move every sample to its partner, c(u_i, x_i): u, x [n,...] → [n], no graph.
torch::Tensor transport_costs(const Cost& cost, const torch::Tensor& u, const torch::Tensor& x);

/// mean c(u_i, x_i), in float64. Pairing sample i with sample i is one coupling of the two empirical distributions, so
/// this is an upper bound of their optimal transport cost W_c, and the ρ̂ at which an attack u is counted.
double transport_cost(const Cost& cost, const torch::Tensor& u, const torch::Tensor& x);

}  // namespace arks
