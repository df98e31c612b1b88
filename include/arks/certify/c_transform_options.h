#pragma once
#include <arks/data/bounds.h>
#include <arks/inner/ascent.h>
#include <arks/kernel/cost.h>
#include <torch/arg.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace arks {

/// What a certificate bounds the mean of, q in the formulas.
enum class Quantity {
  kLogLoss,  ///< q = ln l: ARKS
  kLoss,     ///< q = l: WRM, KE
};

/// "log_loss", "loss"
std::string to_string(Quantity quantity);
Quantity parse_quantity(const std::string& name);
std::vector<std::string> quantity_names();

/// L-BFGS until no entry of the gradient is above 1e-8, or for 50 steps: a certificate by the curvature is as tight as
/// the ascent is exact.
AscentOptions certificate_ascent();

struct CTransformOptions {
  CTransformOptions() = default;
  TORCH_ARG(Quantity, quantity) = Quantity::kLogLoss;
  TORCH_ARG(CostPtr, cost) = std::make_shared<HalfSquaredL2>();
  TORCH_ARG(std::optional<Bounds>,
            domain) = std::nullopt;  // u stays in it, and every sample lies in it; unset: all space
  TORCH_ARG(std::optional<double>, lipschitz) = std::nullopt;  // G: |q(u)−q(v)| ≤ G‖u−v‖₂ on the domain; ≥ 0
  TORCH_ARG(std::optional<double>, curvature) = std::nullopt;  // L: no eigenvalue of ∇²q is above it on the domain
  TORCH_ARG(AscentOptions, ascent) = certificate_ascent();
  TORCH_ARG(int64_t, starts) = 2;        // of the ascent: the first at x, the others at random points near it; > 0
  TORCH_ARG(uint64_t, seed) = 0;         // of these points
  TORCH_ARG(int64_t, batch_size) = 256;  // samples at once; > 0
  TORCH_ARG(std::function<void(int64_t)>, on_samples);  // told after each batch how many samples it had
};

}  // namespace arks
