#pragma once
// Losses of which the maximum is known or can be bounded, and short ways to maximise them.
#include "support/testing.h"

#include <cmath>

namespace arks::testing {

/// The rules that make a step from a gradient alone: all but L-BFGS.
inline const std::vector<AscentRule> kRules{AscentRule::kSgd, AscentRule::kAdam, AscentRule::kAmsgrad,
                                            AscentRule::kSign, AscentRule::kNormalized};

inline AscentOptions plain_ascent(double rate, int64_t steps) {
  return AscentOptions().rule(AscentRule::kSgd).momentum(0).learning_rate(rate).steps(steps);
}

inline ConstraintPtr unconstrained() {
  return std::make_shared<Unconstrained>();
}

/// l(u) = a·u + 4: linear, so all maxima are known. `x` keeps it positive.
struct Linear {
  torch::Tensor a = torch::tensor({0.9, -1.2, 0.4}, torch::kDouble);
  torch::Tensor x = 0.5 * normal({5, 3});
  torch::Tensor loss_at_x = x.matmul(a) + 4;
  double norm = a.norm().item<double>();
  FunctionProblem problem{[a = a](const torch::Tensor& u, const torch::Tensor&) { return u.matmul(a) + 4; }};
};

/// Two tanh layers and a cross entropy, in float64, with weights of its own and no randomness.
struct SmoothNet {
  explicit SmoothNet(double scale = 0.7) {
    net->to(torch::kDouble);
    torch::NoGradGuard no_grad;
    uint64_t seed = 10;
    for (auto& parameter : net->parameters()) parameter.copy_(scale * normal(parameter.sizes().vec(), seed++));
  }

  /// A bound of the largest eigenvalue of ∇²ln l: that of ln CE is at most ½ and its slope √2, |tanh''| ≤ 0.77.
  double smoothness() const {
    const auto norm = [&](size_t i) { return std::get<1>(torch::svd(net->parameters()[i])).max().item<double>(); };
    const double first = norm(0), second = norm(2);
    return 0.5 * std::pow(first * second, 2) + std::sqrt(2.0) * second * 0.77 * std::pow(first, 2);
  }

  torch::nn::Sequential net{torch::nn::Linear(4, 6), torch::nn::Tanh(), torch::nn::Linear(6, 3)};
  torch::Tensor x = normal({8, 4});
  torch::Tensor y = torch::arange(8, torch::kLong).remainder(3);
  SupervisedProblem problem{net, CrossEntropy()};
};

inline InnerResult arks_of(Problem& problem, const Kernel& kernel, bool log, const AscentOptions& ascent,
                           const torch::Tensor& x, const torch::Tensor& y = {}) {
  InnerObjectivePtr objective;
  if (log) {
    objective = std::make_shared<LogKernelProduct>(kernel.temperature());
  } else {
    objective = std::make_shared<KernelProduct>(kernel.temperature());
  }
  return make_maximizer(problem, objective, kernel.cost(), ascent, unconstrained())->maximize(x, y);
}

/// L-BFGS with whole steps.
inline AscentOptions lbfgs(int64_t steps = 10) {
  return AscentOptions().rule(AscentRule::kLbfgs).learning_rate(1).steps(steps);
}

}  // namespace arks::testing
