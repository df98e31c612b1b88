#include "study/descent_ascent.h"

#include <torch/optim.h>

namespace arks::study {

DescentAscent::DescentAscent(RobustLeastSquares& problem, double sigma, bool one_start)
    : problem_(problem),
      kernel_(GaussianKernel(sigma)),
      one_start_(one_start),
      product_(std::make_shared<KernelProduct>(kernel_.temperature())) {
  const auto ascent = AscentOptions().rule(AscentRule::kLbfgs).steps(10).learning_rate(1);
  maximizer_ = make_maximizer(problem_, product_, kernel_.cost(), ascent, std::make_shared<Box>(Bounds{-1, 1}));
}

InnerResult DescentAscent::maximize(const torch::Tensor& xi) {
  auto best = maximizer_->maximize(xi, {});
  if (one_start_) return best;
  for (const double end : {-1, 1}) best.take_better(maximizer_->maximize(xi, {}, torch::full_like(xi, end)));
  return best;
}

void DescentAscent::train(const torch::Tensor& xi) {
  problem_.set_theta(problem_.erm_solution(xi));
  // with a search for the step length: where u* jumps from one end to the other the surrogate has a kink
  torch::optim::LBFGS optimizer(problem_.parameters(),
                                torch::optim::LBFGSOptions(1.0).max_iter(200).line_search_fn("strong_wolfe"));
  optimizer.step([&] {
    optimizer.zero_grad();
    const auto inner = maximize(xi);
    const auto surrogate = product_->value(problem_.per_sample_loss(inner.u, {}), inner.costs).mean();
    surrogate.backward();
    return surrogate;
  });
}

}  // namespace arks::study
