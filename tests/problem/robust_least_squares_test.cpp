#include "support/testing.h"

#include <cmath>

namespace arks {

using testing::expect_derivative_matches;
using testing::expect_error;
using testing::identical;
using testing::max_difference;
using testing::normal;

namespace {

RobustLeastSquares small(int64_t directions, uint64_t seed = 1) {
  std::vector<torch::Tensor> matrices;
  for (int64_t k = 0; k < directions; ++k) matrices.push_back(normal({5, 3}, seed + 10 + static_cast<uint64_t>(k)));
  return {normal({5, 3}, seed), matrices, normal({5}, seed + 1)};
}

/// ‖A(ξ)θ − b‖² written out for one sample.
double plain_loss(const RobustLeastSquares& problem, const torch::Tensor& theta, const torch::Tensor& xi) {
  auto matrix = problem.matrices()[0].clone();
  for (int64_t k = 0; k < problem.num_directions(); ++k) matrix += xi[k] * problem.matrices()[k + 1];
  return (matrix.matmul(theta) - problem.target()).pow(2).sum().item<double>();
}

/// The largest loss over many points of the circle, then refined around the best.
double worst_on_circle(const RobustLeastSquares& problem, const torch::Tensor& theta) {
  const auto at = [&](double angle) {
    return plain_loss(problem, theta, torch::tensor({std::cos(angle), std::sin(angle)}, torch::kDouble));
  };
  double best = 0, width = M_PI;
  for (int round = 0; round < 6; ++round) {
    const double centre = best;
    for (int i = -100; i <= 100; ++i) {
      const double angle = centre + width * i / 100;
      if (at(angle) > at(best)) best = angle;
    }
    width /= 50;
  }
  return at(best);
}

/// Expected losses of the optimum at Δ = 0…4, when the shifted ξ is uniform on (1+Δ)·[−½,½].
std::vector<double> under_shift(const RobustLeastSquares& problem, const torch::Tensor& theta) {
  std::vector<double> losses;
  for (int delta = 0; delta <= 4; ++delta) losses.push_back(problem.expected_loss(theta, 0.5 * (1 + delta)));
  return losses;
}

}  // namespace

TEST(RobustLeastSquares, OfFigure615HasTheBooksNumbersInTenRows) {
  const auto problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  EXPECT_EQ(problem.matrices().sizes(), torch::IntArrayRef({2, 10, 10}));
  EXPECT_EQ(problem.num_directions(), 1);
  const auto row = torch::tensor({0.250038, -0.507885, 0.634145}, torch::kDouble);
  EXPECT_LT(max_difference(problem.matrices()[0][0].narrow(0, 0, 3), row), 5e-7);
  const auto target = torch::tensor({0.149996, 0.542038, 0.254409}, torch::kDouble);
  EXPECT_LT(max_difference(problem.target().narrow(0, 0, 3), target), 5e-7);
}

TEST(RobustLeastSquares, OfFigure616HasTwoDirectionsAndAllRows) {
  const auto problem = RobustLeastSquares::boyd_vandenberghe_6_16();
  EXPECT_EQ(problem.matrices().sizes(), torch::IntArrayRef({3, 50, 20}));
  EXPECT_EQ(problem.target().sizes(), torch::IntArrayRef({50}));
  EXPECT_EQ(problem.num_directions(), 2);
  EXPECT_NEAR(problem.matrices()[0][0][0].item<double>(), -0.3323691121915892, 1e-16);
}

TEST(RobustLeastSquares, IsTheSquaredResidualOfEverySample) {
  for (const int64_t directions : {1, 2, 3}) {
    auto problem = small(directions);
    problem.set_theta(normal({3}, 5));
    const auto xi = normal({4, directions}, 6);
    const auto losses = problem.per_sample_loss(xi, {});
    ASSERT_EQ(losses.sizes(), torch::IntArrayRef({4}));
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(losses[i].item<double>(), plain_loss(problem, problem.theta(), xi[i]), 1e-12);
    }
  }
}

TEST(RobustLeastSquares, DerivativesMatchDifferences) {
  auto problem = small(2);
  problem.set_theta(normal({3}, 5));
  const auto xi = normal({4, 2}, 6);
  expect_derivative_matches([&](const torch::Tensor& u) { return problem.per_sample_loss(u, {}); }, xi);

  const auto gradient = torch::autograd::grad({problem.per_sample_loss(xi, {}).sum()}, problem.parameters())[0];
  const auto at = problem.theta().detach().clone();
  for (int64_t i = 0; i < 3; ++i) {
    const auto shifted = [&](double by) {
      auto theta = at.clone();
      theta[i] += by;
      problem.set_theta(theta);
      return problem.per_sample_loss(xi, {}).sum().item<double>();
    };
    EXPECT_NEAR(gradient[i].item<double>(), (shifted(1e-5) - shifted(-1e-5)) / 2e-5, 1e-6);
  }
}

TEST(RobustLeastSquares, SetsThetaInPlace) {
  auto problem = small(1);
  const auto parameter = problem.parameters()[0];
  EXPECT_TRUE(identical(parameter.detach(), torch::zeros({3}, torch::kDouble)));
  problem.set_theta(normal({3}, 5));
  EXPECT_TRUE(identical(parameter.detach(), normal({3}, 5)));
  EXPECT_TRUE(parameter.requires_grad());
  EXPECT_EQ(problem.state()[0].first, "theta");
  EXPECT_TRUE(problem.state()[0].second.is_same(parameter));
}

TEST(RobustLeastSquares, ErmIsTheLeastSquaresOfAllSamplesStacked) {
  const auto problem = small(2);
  const auto xi = normal({6, 2}, 6);
  std::vector<torch::Tensor> blocks;
  for (int64_t i = 0; i < 6; ++i) {
    const auto& a = problem.matrices();
    blocks.push_back(a[0] + xi[i][0] * a[1] + xi[i][1] * a[2]);
  }
  const auto stacked = torch::cat(blocks), targets = problem.target().repeat({6}).unsqueeze(1);
  const auto expected = std::get<0>(torch::linalg_lstsq(stacked, targets)).squeeze(1);
  EXPECT_LT(max_difference(problem.erm_solution(xi), expected), 1e-12);
}

TEST(RobustLeastSquares, ErmTakesOneSample) {
  const auto problem = small(1);
  const auto xi = torch::full({1, 1}, 0.3, torch::kDouble);
  const auto matrix = problem.matrices()[0] + 0.3 * problem.matrices()[1];
  const auto expected = std::get<0>(torch::linalg_lstsq(matrix, problem.target().unsqueeze(1))).squeeze(1);
  EXPECT_LT(max_difference(problem.erm_solution(xi), expected), 1e-12);
}

TEST(RobustLeastSquares, ErmTendsToThePopulationSolution) {
  const auto problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  // the midpoints of a fine grid have the moments of the uniform distribution but for 1/n²
  const auto grid = (torch::arange(4000, torch::kDouble) + 0.5) / 4000 - 0.5;
  EXPECT_LT(max_difference(problem.erm_solution(grid.unsqueeze(1)), problem.population_solution(0.5)), 1e-5);
}

TEST(RobustLeastSquares, ExpectedLossIsTheMeanOverTheBox) {
  auto problem = small(2);
  const auto theta = normal({3}, 5);
  problem.set_theta(theta);
  const auto line = ((torch::arange(400, torch::kDouble) + 0.5) / 400 - 0.5) * 2 * 0.7;
  const auto grid = torch::cartesian_prod({line, line});
  const double mean = problem.per_sample_loss(grid, {}).mean().item<double>();
  EXPECT_NEAR(problem.expected_loss(theta, 0.7), mean, 1e-5 * mean);
  EXPECT_NEAR(problem.expected_loss(theta, 0), plain_loss(problem, theta, torch::zeros({2}, torch::kDouble)), 1e-12);
}

TEST(RobustLeastSquares, PopulationSolutionHasTheExpectedLossesThatAreKnown) {
  const auto problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  const auto found = under_shift(problem, problem.population_solution(0.5));
  const std::vector<double> known{1.0564, 1.8051, 3.0529, 4.7998, 7.0459};
  for (size_t i = 0; i < known.size(); ++i) EXPECT_NEAR(found[i], known[i], 5e-5) << "Δ = " << i;
}

TEST(RobustLeastSquares, PopulationSolutionIsTheBestForItsWidth) {
  const auto problem = RobustLeastSquares::boyd_vandenberghe_6_16();
  const auto best = problem.population_solution(1.5);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const auto other = best + 1e-3 * normal({20}, seed);
    EXPECT_LT(problem.expected_loss(best, 1.5), problem.expected_loss(other, 1.5));
  }
}

TEST(RobustLeastSquares, WorstLossOfOneDirectionIsTheLargerEnd) {
  const auto problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const auto theta = normal({10}, seed), one = torch::ones({1}, torch::kDouble);
    const double expected = std::max(plain_loss(problem, theta, one), plain_loss(problem, theta, -one));
    EXPECT_NEAR(problem.worst_loss(theta), expected, 1e-12 * expected);
  }
}

TEST(RobustLeastSquares, WorstLossOfTwoDirectionsIsTheLargestOnTheCircle) {
  const auto problem = RobustLeastSquares::boyd_vandenberghe_6_16();
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const auto theta = normal({20}, seed);
    const double expected = worst_on_circle(problem, theta);
    EXPECT_NEAR(problem.worst_loss(theta), expected, 1e-9 * expected);
  }
}

TEST(RobustLeastSquares, WorstLossIsRightWhereNothingPullsAlongTheLongAxis) {
  // r ⟂ A_1θ, which is the longer: the maximiser is not unique, and no ordinary solution of the secular equation
  const auto nominal = torch::tensor({{0.}, {0.}, {1.}}, torch::kDouble);
  const auto long_axis = torch::tensor({{3.}, {0.}, {0.}}, torch::kDouble);
  const auto short_axis = torch::tensor({{0.}, {0.}, {1.}}, torch::kDouble);
  const RobustLeastSquares problem(nominal, {long_axis, short_axis}, torch::zeros({3}, torch::kDouble));
  const auto theta = torch::ones({1}, torch::kDouble);
  // 9ξ₁² + (1+ξ₂)² on the circle: 9 − 8ξ₂² + 2ξ₂ + 1, largest at ξ₂ = 1/8
  EXPECT_NEAR(problem.worst_loss(theta), 10.125, 1e-12);
  EXPECT_NEAR(worst_on_circle(problem, theta), 10.125, 1e-9);
  // and where nothing pulls at all
  const RobustLeastSquares still(torch::zeros({3, 1}), {long_axis, short_axis}, torch::zeros({3}));
  EXPECT_NEAR(still.worst_loss(theta), 9, 1e-12);
}

TEST(RobustLeastSquares, IsAttackedThroughTheInnerMaximizer) {
  auto problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  const auto theta = normal({10}, 3);
  problem.set_theta(theta);
  const auto maximizer = make_maximizer(problem, std::make_shared<LossAlone>(), nullptr,
                                        AscentOptions().rule(AscentRule::kSign).steps(100).learning_rate(0.1),
                                        std::make_shared<Box>(Bounds{-1, 1}));
  const auto start = torch::tensor({{-0.9}, {0.9}}, torch::kDouble);
  const double found = maximizer->maximize(start, {}).losses.max().item<double>();
  EXPECT_NEAR(found, problem.worst_loss(theta), 1e-9 * found);
}

TEST(RobustLeastSquares, RefusesWhatDoesNotFit) {
  auto problem = small(2);
  expect_error([&] { problem.per_sample_loss(normal({4, 3}), {}); }, "u must be float64 of shape [n, 2], got Double");
  expect_error([&] { problem.per_sample_loss(normal({4, 2}).to(torch::kFloat), {}); }, "got Float [4, 2]");
  expect_error([&] { problem.set_theta(normal({4})); }, "theta must have shape [3]");
  expect_error([&] { problem.worst_loss({}); }, "theta must have shape [3]");
  expect_error([&] { problem.erm_solution(normal({4, 1})); }, "the samples must have shape [n, 2] with n > 0");
  expect_error([&] { problem.erm_solution(normal({0, 2})); }, "with n > 0");
  expect_error([&] { problem.expected_loss(normal({3}), -0.5); },
               "half_width must be finite and not negative, got -0.5");
  expect_error([&] { problem.population_solution(std::nan("")); }, "got nan");
}

TEST(RobustLeastSquares, RefusesMatricesThatDoNotFit) {
  const auto a = normal({5, 3}), b = normal({5});
  expect_error([&] { RobustLeastSquares(a, {}, b); }, "at least one uncertain direction is needed");
  expect_error([&] { RobustLeastSquares(b, {a}, b); }, "the nominal matrix must have shape [rows, columns]");
  expect_error([&] { RobustLeastSquares(a, {normal({3, 5})}, b); }, "must have the shape [5, 3]");
  expect_error([&] { RobustLeastSquares(a, {a}, normal({3})); }, "the target must have shape [5]");
  expect_error([&] { RobustLeastSquares(a, {a / 0.0}, b); }, "must be finite");
}

}  // namespace arks
