#include "inner/losses.h"

namespace arks {

namespace {

/// Ten samples, the book's matrices, θ of plain least squares: the inner problem of the paper's toy experiment.
struct ToyProblem {
  ToyProblem() { problem.set_theta(problem.population_solution(0.5)); }

  double reached(const AscentOptions& ascent, double sigma) {
    const GaussianKernel kernel(sigma);
    const auto maximizer = make_maximizer(problem, std::make_shared<KernelProduct>(kernel.temperature()), kernel.cost(),
                                          ascent, std::make_shared<Box>(Bounds{-1, 1}));
    return maximizer->maximize(samples, {}).values.mean().item<double>();
  }

  RobustLeastSquares problem = RobustLeastSquares::boyd_vandenberghe_6_15();
  torch::Tensor samples = torch::linspace(-0.5, 0.5, 10, torch::kDouble).unsqueeze(1);
};

}  // namespace

TEST(LbfgsOnRobustLeastSquares, BeatsTenStepsOfAmsgrad) {
  ToyProblem toy;
  for (const double sigma : {0.1, 0.2, 0.41, 1.0}) {
    const double lbfgs = toy.reached(AscentOptions().rule(AscentRule::kLbfgs).steps(10).learning_rate(1), sigma);
    for (const double rate : {0.001, 0.01, 0.1}) {
      EXPECT_GT(lbfgs, toy.reached(AscentOptions().steps(10).learning_rate(rate), sigma)) << sigma << " " << rate;
    }
  }
}

TEST(LbfgsOnRobustLeastSquares, EndsInTenStepsWhereLongAscentsEnd) {
  ToyProblem toy;
  for (const double sigma : {0.1, 0.2, 0.41}) {
    const double lbfgs = toy.reached(AscentOptions().rule(AscentRule::kLbfgs).steps(10).learning_rate(1), sigma);
    const double longest = toy.reached(AscentOptions().steps(3000).learning_rate(0.001), sigma);
    EXPECT_NEAR(lbfgs, longest, 1e-6 * longest) << sigma;
  }
}

}  // namespace arks
