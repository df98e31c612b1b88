#include "sdp/worst_case.h"

#include "sdp/semidefinite_program.h"

#include <cmath>

namespace arks {

namespace {

/// (A₀ … A_k, b) side by side as [rows, (k+1)p + 1]. A tall one is replaced by the triangle of its QR factorisation:
/// all norms stay, and the matrix of the program has one row for each row here.
torch::Tensor side_by_side(const RobustLeastSquares& problem) {
  const auto matrices = problem.matrices().permute({1, 0, 2}).flatten(1);  // [m, (k+1)p]
  const auto all = torch::cat({matrices, problem.target().unsqueeze(1)}, 1);
  return all.size(0) > all.size(1) ? std::get<1>(torch::linalg_qr(all)) : all;
}

/// Variables θ_0 … θ_{p−1}, s, t. The constant part, I and −b, is −F_0.
SemidefiniteProgram make_program(const torch::Tensor& all, int64_t directions, int64_t columns) {
  const int64_t rows = all.size(0), last = rows + directions;
  const auto entry = all.accessor<double, 2>();
  std::vector<double> objective(static_cast<size_t>(columns + 2), 0.0);
  objective[static_cast<size_t>(columns)] = objective[static_cast<size_t>(columns + 1)] = 1;
  SemidefiniteProgram program(objective, {last + 1});
  for (int64_t row = 0; row < rows; ++row) {
    program.set_constant(0, row, row, -1);
    program.set_constant(0, row, last, entry[row][(directions + 1) * columns]);
    for (int64_t column = 0; column < columns; ++column) {
      program.set_coefficient(column, 0, row, last, entry[row][column]);
      for (int64_t k = 0; k < directions; ++k) {
        program.set_coefficient(column, 0, row, rows + k, entry[row][(k + 1) * columns + column]);
      }
    }
  }
  for (int64_t k = 0; k < directions; ++k) program.set_coefficient(columns, 0, rows + k, rows + k, 1);
  program.set_coefficient(columns + 1, 0, last, last, 1);
  return program;
}

}  // namespace

WorstCaseSolution solve_worst_case(const RobustLeastSquares& problem) {
  // in units in which a fair θ has the worst case 1: the solver's tolerances are made for numbers of that size
  const auto fair = problem.population_solution(1);
  const double unit = problem.worst_loss(fair);
  if (unit == 0) return {fair, 0};
  const int64_t columns = problem.num_columns();
  const auto all = (side_by_side(problem) / std::sqrt(unit)).contiguous();
  const auto solution = solve(make_program(all, problem.num_directions(), columns));
  const auto x = torch::tensor(solution.x, torch::kDouble);
  return {x.narrow(0, 0, columns).clone(), unit * solution.objective};
}

}  // namespace arks
