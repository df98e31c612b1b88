#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace arks {

/// A semidefinite program in the variables x [n], with block-diagonal symmetric matrices F:
///   min cᵀx   subject to   Σ_i x_i F_i − F_0 ⪰ 0.
/// Only entries that are not zero are held. Variables, blocks, rows and columns count from 0.
class SemidefiniteProgram {
 public:
  /// c, and the number of rows of every block.
  SemidefiniteProgram(std::vector<double> objective, std::vector<int64_t> block_sizes);

  /// Sets an entry of F_variable, and its mirror.
  void set_coefficient(int64_t variable, int64_t block, int64_t row, int64_t column, double value);
  /// Sets an entry of F_0, and its mirror. Mind the sign: F_0 is subtracted.
  void set_constant(int64_t block, int64_t row, int64_t column, double value);

  int64_t num_variables() const { return static_cast<int64_t>(objective_.size()); }

  /// As SDPA's sparse format (.dat-s), every number with all its digits.
  std::string sparse_format() const;

 private:
  void set(int64_t matrix, int64_t block, int64_t row, int64_t column, double value);

  std::vector<double> objective_;
  std::vector<int64_t> block_sizes_;
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, double> entries_;  // matrix, block, row ≤ column
};

struct SemidefiniteSolution {
  std::vector<double> x;
  double objective = 0;       ///< cᵀx, of a feasible x
  double dual_objective = 0;  ///< a lower bound of the optimum, as far as the dual is feasible to rounding
  int64_t iterations = 0;
};

/// Solves the program with SDPA's interior point method, to a relative gap of at most 1e-6 between objective and dual
/// objective. SDPA is under the GPL and no part of this library: it runs as the program `arks-sdp`, looked for under
/// the name in $ARKS_SDP, else beside the running program, else in PATH. Throws Error when it is not there, RunError
/// when it fails or finds no optimum.
/// Yamashita et al., "Latest Developments in the SDPA Family for Solving Large-Scale SDPs", 2012.
SemidefiniteSolution solve(const SemidefiniteProgram& program);

}  // namespace arks
