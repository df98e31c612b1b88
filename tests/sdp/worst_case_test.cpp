#include "sdp/worst_case.h"
#include "sdp/solver.h"
#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_error;
using testing::max_difference;
using testing::normal;
using testing::SdpProgram;

namespace {

/// min_θ λ f(ξ=1) + (1−λ) f(ξ=−1) for one direction: ordinary least squares.
double weighted_minimum(const RobustLeastSquares& problem, double lambda) {
  const auto up = problem.matrices()[0] + problem.matrices()[1], down = problem.matrices()[0] - problem.matrices()[1];
  const double a = std::sqrt(lambda), b = std::sqrt(1 - lambda);
  const auto matrix = torch::cat({a * up, b * down});
  const auto target = torch::cat({a * problem.target(), b * problem.target()}).unsqueeze(1);
  const auto theta = std::get<0>(torch::linalg_lstsq(matrix, target));
  return (matrix.matmul(theta) - target).pow(2).sum().item<double>();
}

/// The dual of min_θ max(f₊, f₋): max over λ in [0,1] of a concave function, by golden section.
double dual_optimum(const RobustLeastSquares& problem) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    const double left = high - ratio * (high - low), right = low + ratio * (high - low);
    if (weighted_minimum(problem, left) < weighted_minimum(problem, right)) {
      low = left;
    } else {
      high = right;
    }
  }
  return weighted_minimum(problem, (low + high) / 2);
}

double larger_end(const RobustLeastSquares& problem, const torch::Tensor& theta) {
  auto copy = problem;
  copy.set_theta(theta);
  return copy.per_sample_loss(torch::tensor({{-1.}, {1.}}, torch::kDouble), {}).max().item<double>();
}

}  // namespace

class WorstCaseSdp : public testing::WithSdpComponent {};

TEST_F(WorstCaseSdp, IsTheLargerEndWithOneDirectionAndEqualsItsDual) {
  const auto problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  const auto solution = solve_worst_case(problem);
  EXPECT_NEAR(solution.value, larger_end(problem, solution.theta), 1e-5);
  EXPECT_NEAR(solution.value, dual_optimum(problem), 1e-5);
}

TEST_F(WorstCaseSdp, HasTheExpectedLossesThatAreKnown) {
  const auto problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  const auto theta = solve_worst_case(problem).theta;
  const std::vector<double> known{1.347, 1.411, 1.518, 1.669, 1.862};
  for (size_t delta = 0; delta < known.size(); ++delta) {
    const double half_width = 0.5 * (1 + static_cast<double>(delta));
    EXPECT_NEAR(problem.expected_loss(theta, half_width), known[delta], 5e-4) << "Δ = " << delta;
  }
}

TEST_F(WorstCaseSdp, IsTheWorstLossOfItsSolutionWithTwoDirections) {
  const auto problem = RobustLeastSquares::boyd_vandenberghe_6_16();
  const auto solution = solve_worst_case(problem);
  EXPECT_NEAR(solution.value, problem.worst_loss(solution.theta), 1e-5);
}

TEST_F(WorstCaseSdp, IsNotBeatenByAnyNeighbour) {
  const auto problem = RobustLeastSquares::boyd_vandenberghe_6_16();
  const auto solution = solve_worst_case(problem);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto step = normal({20}, seed);
    for (const double size : {1e-3, 1e-1, 1.0}) {
      EXPECT_GT(problem.worst_loss(solution.theta + size * step), solution.value - 1e-5) << seed << " " << size;
    }
  }
  EXPECT_LT(solution.value, problem.worst_loss(problem.population_solution(1)));
}

TEST_F(WorstCaseSdp, GivesEveryRepeatedRowItsWeight) {
  // 200 rows, which the program sees as a triangle
  const auto once = RobustLeastSquares::boyd_vandenberghe_6_15();
  const RobustLeastSquares many(once.matrices()[0].repeat({20, 1}), {once.matrices()[1].repeat({20, 1})},
                                once.target().repeat({20}));
  const auto expected = solve_worst_case(once), found = solve_worst_case(many);
  EXPECT_NEAR(found.value / 20, expected.value, 1e-5);
}

TEST_F(WorstCaseSdp, DoesNotDependOnTheUnits) {
  const auto problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  const double expected = solve_worst_case(problem).value;
  for (const double unit : {1e-6, 1e6}) {
    const RobustLeastSquares scaled(unit * problem.matrices()[0], {unit * problem.matrices()[1]},
                                    unit * problem.target());
    EXPECT_NEAR(solve_worst_case(scaled).value / (unit * unit), expected, 1e-5) << unit;
  }
}

TEST(WorstCaseSdpAbsent, SaysWhatBringsIt) {
  const SdpProgram none("/nonexistent");
  expect_error([] { solve_worst_case(RobustLeastSquares::boyd_vandenberghe_6_15()); },
               "the SDP component is missing: /nonexistent");
}

TEST(WorstCaseSdpAbsent, IsNotAskedWhereTheWorstCaseIsZero) {
  const SdpProgram none("/nonexistent");
  const RobustLeastSquares solved(torch::eye(3), {torch::eye(3)}, torch::zeros({3}));
  const auto solution = solve_worst_case(solved);
  EXPECT_EQ(solution.value, 0);
  EXPECT_EQ(max_difference(solution.theta, torch::zeros({3})), 0);
}

}  // namespace arks
