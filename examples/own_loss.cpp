// A loss of your own that is no classifier: a portfolio that stays good when the returns shift.
//
// The sample u is the year's return of each of four funds; the parameters theta give the shares w = softmax(theta); the
// loss is exp(-5 w·u), what a year with that return is worth to somebody who fears losses. Any differentiable loss per
// sample will do; ARKS asks that it be positive.
#include <arks/arks.h>
#include <torch/torch.h>

#include <iostream>

arks::DatasetPtr past_years(uint64_t seed) {
  auto generator = arks::make_generator(seed, arks::Stream::kSamples);
  // the first fund looks a little better than the others
  const auto mean = torch::tensor({0.10, 0.09, 0.09, 0.09});
  const auto returns = mean + 0.05 * torch::randn({200, 4}, generator);
  arks::DatasetInfo info;
  info.name = "funds";
  return std::make_shared<arks::TensorDataset>(returns, torch::zeros({200}), info);  // there is nothing to predict
}

torch::Tensor shares_of(const torch::Tensor& theta) {
  return torch::softmax(theta, 0);
}

int main() {
  const auto years = past_years(/*seed=*/1);
  const auto shares_by = [&](const arks::Objective& objective) {
    const auto theta = torch::zeros({4}, torch::requires_grad());
    arks::FunctionProblem problem(
        [&](const torch::Tensor& u, const torch::Tensor&) { return torch::exp(-5 * u.matmul(shares_of(theta))); },
        {theta});
    arks::train(
        problem, years, objective,
        arks::TrainOptions().epochs(100).batch_size(50).optimizer(arks::OptimizerOptions().learning_rate(0.05)));
    // the worst that can happen to each year when its returns move by 0.2 in all
    const auto attack = arks::PgdAttack(arks::PgdOptions().norm(arks::Norm::kL2).eps(0.2).steps(10).alpha(0.1));
    const auto point = arks::evaluate(problem, years, attack);
    std::cout << objective.name() << ": loss when the returns shift " << point.loss << "\n";
    return shares_of(theta).detach();
  };

  const auto usual = shares_by(arks::Erm());
  const auto robust =
      shares_by(arks::Arks(arks::GaussianKernel(/*sigma=*/0.2), arks::AscentOptions().steps(10).learning_rate(0.05)));
  std::cout << "largest share: " << usual.max().item<double>() << " as usual, " << robust.max().item<double>()
            << " with ARKS\n";
}
