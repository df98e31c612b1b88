#pragma once
#include <arks/kernel/cost.h>

#include <cstdint>
#include <optional>

namespace arks {

/// A transport cost c(u,x) of one sample and its gradient, without tensors: those that are functions of ‖u−x‖₂² or of
/// ‖u−x‖₁.
class SampleCost {
 public:
  /// None for a cost of another kind. A null cost is zero everywhere.
  static std::optional<SampleCost> of(const CostPtr& cost);

  /// n numbers, a multiple of 8, zeros behind the sample.
  double operator()(const float* u, const float* x, int64_t n) const;

  /// gradient ← gradient + weight·∇_u c, where the cost is `cost`, as the function above found it.
  void add_gradient(float* gradient, double weight, double cost, const float* u, const float* x, int64_t n) const;

 private:
  enum class Kind { kNone, kHalfSquaredL2, kSquaredL2, kL2, kLogQuadratic, kL1 };
  Kind kind_ = Kind::kNone;
  double scale_ = 1;  // of kLogQuadratic
};

}  // namespace arks
