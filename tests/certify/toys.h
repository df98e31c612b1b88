#pragma once
// Problems whose certificates are known, and short ways to certify them.
#include "support/testing.h"

#include <cmath>

namespace arks::testing {

/// Samples in float64 without classes.
inline DatasetPtr float64_samples(const torch::Tensor& x, const torch::Tensor& y = {}) {
  DatasetInfo info;
  info.name = "toy";
  return std::make_shared<TensorDataset>(x, y.defined() ? y : torch::zeros({x.size(0)}, torch::kDouble), info);
}

/// q = a·u + 4, as the loss itself or as the logarithm of a loss.
struct LinearQuantity {
  explicit LinearQuantity(Quantity quantity)
      : problem([a = a, quantity](const torch::Tensor& u, const torch::Tensor&) {
          const auto q = u.matmul(a) + 4;
          return quantity == Quantity::kLoss ? q : q.exp();
        }) {}
  double mean() const { return (x.matmul(a) + 4).mean().item<double>(); }

  torch::Tensor a = torch::tensor({0.9, -1.2, 0.4}, torch::kDouble);
  torch::Tensor x = 0.5 * normal({6, 3});
  double norm = a.norm().item<double>();
  FunctionProblem problem;
  DatasetPtr data = float64_samples(x);
};

/// q = b·u + ½ uᵀ diag(curvatures) u, the logarithm of the loss.
struct QuadraticQuantity {
  explicit QuadraticQuantity(std::vector<double> chosen)
      : curvatures(torch::tensor(chosen, torch::kDouble)),
        problem([b = b, c = curvatures](const torch::Tensor& u, const torch::Tensor&) {
          return (u.matmul(b) + (u * u).matmul(c) / 2).exp();
        }) {}
  /// Λ(x) for c = ½‖·‖²: with g = ∇q(x), u − x = g_i/(s − k_i) and Λ = q(x) + ½ Σ g_i²/(s − k_i).
  torch::Tensor transform(double strength) const {
    const auto slopes = b + x * curvatures;
    return x.matmul(b) + (x * x).matmul(curvatures) / 2 + (slopes * slopes / (strength - curvatures)).sum(1) / 2;
  }
  double moved(double strength) const {
    const auto step = (b + x * curvatures) / (strength - curvatures);
    return (step * step).sum(1).mean().item<double>() / 2;
  }

  torch::Tensor b = torch::tensor({0.7, -0.3}, torch::kDouble);
  torch::Tensor x = 0.5 * normal({5, 2});
  torch::Tensor curvatures;
  FunctionProblem problem;
  DatasetPtr data = float64_samples(x);
};

/// Dense and ELU layers with small weights of their own, then a cross entropy of three classes.
struct EluNet {
  explicit EluNet(std::vector<int64_t> widths, double scale, uint64_t seed = 10, int64_t count = 8)
      : x(normal({count, widths.front()}, seed + 100).clamp(-3, 3)) {
    for (size_t i = 0; i + 1 < widths.size(); ++i) {
      if (i > 0) net->push_back(torch::nn::ELU());
      net->push_back(torch::nn::Linear(widths[i], widths[i + 1]));
    }
    net->to(torch::kDouble);
    torch::NoGradGuard no_grad;
    for (auto& parameter : net->parameters()) {
      const double fan_in = static_cast<double>(parameter.dim() == 2 ? parameter.size(1) : 1);
      parameter.copy_(scale / std::sqrt(fan_in) * normal(parameter.sizes().vec(), seed++));
    }
    DatasetInfo info;
    info.name = "toy";
    info.num_classes = widths.back();
    y = torch::arange(count, torch::kLong).remainder(widths.back());
    data = std::make_shared<TensorDataset>(x, y, info);
  }

  torch::nn::Sequential net;
  torch::Tensor x, y;
  DatasetPtr data;
  SupervisedProblem problem{net, CrossEntropy()};
};

}  // namespace arks::testing
