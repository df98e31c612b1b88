#pragma once
#include <arks/problem/robust_least_squares.h>

namespace arks {

struct WorstCaseSolution {
  torch::Tensor theta;  ///< [p] float64
  double value = 0;     ///< max over ‖ξ‖₂ ≤ 1 of l(θ,ξ) at the optimum
};

/// Robust optimisation of robust least squares, exact: min_θ max_{‖ξ‖₂≤1} ‖A(ξ)θ − b‖², which by the S-lemma is
///   min s + t   subject to   [ I        P(θ)   q(θ) ]
///                            [ P(θ)ᵀ    sI     0    ]  ⪰ 0,      P(θ) = (A_1θ … A_kθ),  q(θ) = A₀θ − b.
///                            [ q(θ)ᵀ    0      t    ]
/// With one direction ‖ξ‖ ≤ 1 is |ξ| ≤ 1. Needs the SDP component (solve() in sdp/semidefinite_program.h).
/// El Ghaoui and Lebret 1997; Boyd and Vandenberghe, Convex Optimization, section 6.4.2.
WorstCaseSolution solve_worst_case(const RobustLeastSquares& problem);

}  // namespace arks
