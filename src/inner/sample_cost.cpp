#include "inner/sample_cost.h"

#include "engine/ascent_loops.h"

#include <cmath>
#include <typeinfo>

namespace arks {

std::optional<SampleCost> SampleCost::of(const CostPtr& cost) {
  SampleCost found;
  if (cost == nullptr) return found;
  // exactly these: a class derived from one may compute something else
  const auto& known = *cost;
  const auto& type = typeid(known);
  if (type == typeid(HalfSquaredL2)) {
    found.kind_ = Kind::kHalfSquaredL2;
  } else if (type == typeid(SquaredL2)) {
    found.kind_ = Kind::kSquaredL2;
  } else if (type == typeid(L2)) {
    found.kind_ = Kind::kL2;
  } else if (type == typeid(L1)) {
    found.kind_ = Kind::kL1;
  } else if (type == typeid(LogQuadratic)) {
    found.kind_ = Kind::kLogQuadratic;
    found.scale_ = dynamic_cast<const LogQuadratic&>(known).scale();
  } else {
    return std::nullopt;
  }
  return found;
}

double SampleCost::operator()(const float* u, const float* x, int64_t n) const {
  switch (kind_) {
    case Kind::kNone:
      return 0;
    case Kind::kHalfSquaredL2:
      return engine::squared_distance(u, x, n) / 2;
    case Kind::kSquaredL2:
      return engine::squared_distance(u, x, n);
    case Kind::kL2:
      return std::sqrt(engine::squared_distance(u, x, n));
    case Kind::kLogQuadratic:
      return std::log1p(engine::squared_distance(u, x, n) / (scale_ * scale_)) / 2;
    case Kind::kL1:
      return engine::absolute_distance(u, x, n);
  }
  return 0;
}

void SampleCost::add_gradient(float* gradient, double weight, double cost, const float* u, const float* x,
                              int64_t n) const {
  double by_difference = weight;
  switch (kind_) {
    case Kind::kNone:
      return;
    case Kind::kL1:
      return engine::add_sign_of_difference(gradient, static_cast<float>(weight), u, x, n);
    case Kind::kHalfSquaredL2:
      break;
    case Kind::kSquaredL2:
      by_difference = 2 * weight;
      break;
    case Kind::kL2:
      by_difference = cost > 0 ? weight / cost : 0;
      break;
    case Kind::kLogQuadratic:
      // C² + ‖u−x‖² = C²·exp(2c)
      by_difference = weight / (scale_ * scale_ * std::exp(2 * cost));
      break;
  }
  engine::add_difference(gradient, static_cast<float>(by_difference), u, x, n);
}

}  // namespace arks
