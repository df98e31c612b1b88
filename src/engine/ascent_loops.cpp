#include "engine/ascent_loops.h"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ascent_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 8>;
using Vector = hn::Vec<Tag>;

constexpr int64_t step() {
  return static_cast<int64_t>(hn::MaxLanes(Tag()));
}

HWY_INLINE Vector sign(Vector v) {
  const Tag d;
  const auto one = hn::Set(d, 1.0F);
  const auto zero = hn::Zero(d);
  return hn::Sub(hn::IfThenElseZero(hn::Gt(v, zero), one), hn::IfThenElseZero(hn::Lt(v, zero), one));
}

/// Sum of term(i) over the numbers, in parts of 256 added in double: as exact as it needs to be and hardly slower.
template <typename Term>
HWY_INLINE double sum(int64_t n, Term term) {
  const Tag d;
  constexpr int64_t kPart = 256;
  double total = 0;
  for (int64_t part = 0; part < n; part += kPart) {
    auto lanes = hn::Zero(d);
    const int64_t end = part + kPart < n ? part + kPart : n;
    for (int64_t i = part; i < end; i += step()) lanes = hn::Add(lanes, term(i));
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, lanes)));
  }
  return total;
}

double SquaredDistance(const float* u, const float* x, int64_t n) {
  const Tag d;
  return sum(n, [&](int64_t i) {
    const auto difference = hn::Sub(hn::LoadU(d, u + i), hn::LoadU(d, x + i));
    return hn::Mul(difference, difference);
  });
}

double AbsoluteDistance(const float* u, const float* x, int64_t n) {
  const Tag d;
  return sum(n, [&](int64_t i) { return hn::Abs(hn::Sub(hn::LoadU(d, u + i), hn::LoadU(d, x + i))); });
}

void AddDifference(float* gradient, float weight, const float* u, const float* x, int64_t n) {
  const Tag d;
  const auto w = hn::Set(d, weight);
  for (int64_t i = 0; i < n; i += step()) {
    const auto difference = hn::Sub(hn::LoadU(d, u + i), hn::LoadU(d, x + i));
    hn::StoreU(hn::MulAdd(w, difference, hn::LoadU(d, gradient + i)), d, gradient + i);
  }
}

void AddSignOfDifference(float* gradient, float weight, const float* u, const float* x, int64_t n) {
  const Tag d;
  const auto w = hn::Set(d, weight);
  for (int64_t i = 0; i < n; i += step()) {
    const auto difference = sign(hn::Sub(hn::LoadU(d, u + i), hn::LoadU(d, x + i)));
    hn::StoreU(hn::MulAdd(w, difference, hn::LoadU(d, gradient + i)), d, gradient + i);
  }
}

/// Largest |value(i)|, NaN when any is.
template <typename Value>
HWY_INLINE float largest_of(int64_t n, Value value) {
  const Tag d;
  auto most = hn::Zero(d), poison = hn::Zero(d);
  for (int64_t i = 0; i < n; i += step()) {
    const auto v = value(i);
    most = hn::Max(most, hn::Abs(v));
    poison = hn::MulAdd(v, hn::Zero(d), poison);  // NaN when v is infinite or NaN
  }
  const float found = hn::GetLane(hn::MaxOfLanes(d, most));
  return std::isnan(hn::GetLane(hn::SumOfLanes(d, poison))) ? std::numeric_limits<float>::quiet_NaN() : found;
}

float Largest(const float* values, int64_t n) {
  const Tag d;
  return largest_of(n, [&](int64_t i) { return hn::LoadU(d, values + i); });
}

float LargestFollowable(const float* gradient, const float* u, const float* low, const float* high, int64_t n) {
  const Tag d;
  const auto zero = hn::Zero(d);
  return largest_of(n, [&](int64_t i) {
    const auto g = hn::LoadU(d, gradient + i), at = hn::LoadU(d, u + i);
    const auto below = hn::And(hn::Le(at, hn::LoadU(d, low + i)), hn::Lt(g, zero));
    const auto above = hn::And(hn::Ge(at, hn::LoadU(d, high + i)), hn::Gt(g, zero));
    return hn::IfThenZeroElse(hn::Or(below, above), g);
  });
}

void SgdStep(float* u, const float* gradient, float* velocity, float momentum, float rate, int64_t n) {
  const Tag d;
  const auto m = hn::Set(d, momentum), r = hn::Set(d, rate);
  for (int64_t i = 0; i < n; i += step()) {
    const auto v = hn::MulAdd(m, hn::LoadU(d, velocity + i), hn::LoadU(d, gradient + i));
    hn::StoreU(v, d, velocity + i);
    hn::StoreU(hn::MulAdd(r, v, hn::LoadU(d, u + i)), d, u + i);
  }
}

void AdamStep(float* u, const float* gradient, float* first, float* second, float* largest_second, float first_rate,
              float second_scale, int64_t n) {
  const Tag d;
  const auto beta1 = hn::Set(d, 0.9F), rest1 = hn::Set(d, 0.1F);
  const auto beta2 = hn::Set(d, 0.999F), rest2 = hn::Set(d, 0.001F);
  const auto rate = hn::Set(d, first_rate), scale = hn::Set(d, second_scale), epsilon = hn::Set(d, 1e-8F);
  for (int64_t i = 0; i < n; i += step()) {
    const auto g = hn::LoadU(d, gradient + i);
    const auto m = hn::MulAdd(beta1, hn::LoadU(d, first + i), hn::Mul(rest1, g));
    const auto v = hn::MulAdd(beta2, hn::LoadU(d, second + i), hn::Mul(hn::Mul(rest2, g), g));
    hn::StoreU(m, d, first + i);
    hn::StoreU(v, d, second + i);
    auto most = v;
    if (largest_second != nullptr) {
      most = hn::Max(hn::LoadU(d, largest_second + i), v);
      hn::StoreU(most, d, largest_second + i);
    }
    const auto denominator = hn::MulAdd(hn::Sqrt(most), scale, epsilon);
    hn::StoreU(hn::MulAdd(rate, hn::Div(m, denominator), hn::LoadU(d, u + i)), d, u + i);
  }
}

void SignStep(float* u, const float* gradient, const float* scale, float rate, int64_t n) {
  const Tag d;
  const auto r = hn::Set(d, rate);
  for (int64_t i = 0; i < n; i += step()) {
    auto direction = sign(hn::LoadU(d, gradient + i));
    if (scale != nullptr) direction = hn::Mul(direction, hn::LoadU(d, scale + i));
    hn::StoreU(hn::MulAdd(r, direction, hn::LoadU(d, u + i)), d, u + i);
  }
}

void AddScaled(float* u, const float* direction, float weight, int64_t n) {
  const Tag d;
  const auto w = hn::Set(d, weight);
  for (int64_t i = 0; i < n; i += step()) {
    hn::StoreU(hn::MulAdd(w, hn::LoadU(d, direction + i), hn::LoadU(d, u + i)), d, u + i);
  }
}

double SumOfScaledSquares(const float* values, float scale, int64_t n) {
  const Tag d;
  const auto s = hn::Set(d, scale);
  return sum(n, [&](int64_t i) {
    const auto v = hn::Mul(hn::LoadU(d, values + i), s);
    return hn::Mul(v, v);
  });
}

void Clamp(float* u, const float* low, const float* high, int64_t n) {
  const Tag d;
  for (int64_t i = 0; i < n; i += step()) {
    const auto v = hn::LoadU(d, u + i);
    // Min and Max may drop a NaN, which must stay to be seen
    const auto clamped = hn::Min(hn::Max(v, hn::LoadU(d, low + i)), hn::LoadU(d, high + i));
    hn::StoreU(hn::IfThenElse(hn::IsNaN(v), v, clamped), d, u + i);
  }
}

void ScaleDifference(float* u, const float* x, float factor, int64_t n) {
  const Tag d;
  const auto f = hn::Set(d, factor);
  for (int64_t i = 0; i < n; i += step()) {
    const auto origin = hn::LoadU(d, x + i);
    hn::StoreU(hn::MulAdd(f, hn::Sub(hn::LoadU(d, u + i), origin), origin), d, u + i);
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {

HWY_EXPORT(SquaredDistance);
HWY_EXPORT(AbsoluteDistance);
HWY_EXPORT(AddDifference);
HWY_EXPORT(AddSignOfDifference);
HWY_EXPORT(Largest);
HWY_EXPORT(LargestFollowable);
HWY_EXPORT(SgdStep);
HWY_EXPORT(AdamStep);
HWY_EXPORT(SignStep);
HWY_EXPORT(AddScaled);
HWY_EXPORT(SumOfScaledSquares);
HWY_EXPORT(Clamp);
HWY_EXPORT(ScaleDifference);

double squared_distance(const float* u, const float* x, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(SquaredDistance)(u, x, n);
}

double absolute_distance(const float* u, const float* x, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(AbsoluteDistance)(u, x, n);
}

void add_difference(float* gradient, float weight, const float* u, const float* x, int64_t n) {
  HWY_DYNAMIC_DISPATCH(AddDifference)(gradient, weight, u, x, n);
}

void add_sign_of_difference(float* gradient, float weight, const float* u, const float* x, int64_t n) {
  HWY_DYNAMIC_DISPATCH(AddSignOfDifference)(gradient, weight, u, x, n);
}

float largest(const float* values, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(Largest)(values, n);
}

float largest_followable(const float* gradient, const float* u, const float* low, const float* high, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(LargestFollowable)(gradient, u, low, high, n);
}

bool all_finite(const float* values, int64_t n) {
  return std::isfinite(largest(values, n));
}

void sgd_step(float* u, const float* gradient, float* velocity, float momentum, float rate, int64_t n) {
  HWY_DYNAMIC_DISPATCH(SgdStep)(u, gradient, velocity, momentum, rate, n);
}

void adam_step(float* u, const float* gradient, float* first, float* second, float* largest_second, float first_rate,
               float second_scale, int64_t n) {
  HWY_DYNAMIC_DISPATCH(AdamStep)(u, gradient, first, second, largest_second, first_rate, second_scale, n);
}

void sign_step(float* u, const float* gradient, const float* scale, float rate, int64_t n) {
  HWY_DYNAMIC_DISPATCH(SignStep)(u, gradient, scale, rate, n);
}

namespace {

/// ‖values‖₂ without overflow or underflow of the squares.
double norm(const float* values, int64_t n) {
  const float most = largest(values, n);
  if (!(most > 0)) return most;
  const float scale = std::max(most, std::numeric_limits<float>::min());
  return std::sqrt(HWY_DYNAMIC_DISPATCH(SumOfScaledSquares)(values, 1 / scale, n)) * static_cast<double>(scale);
}

}  // namespace

void normalized_step(float* u, const float* gradient, float rate, int64_t n) {
  const double length = norm(gradient, n);
  if (length > 0) HWY_DYNAMIC_DISPATCH(AddScaled)(u, gradient, static_cast<float>(rate / length), n);
}

void clamp(float* u, const float* low, const float* high, int64_t n) {
  HWY_DYNAMIC_DISPATCH(Clamp)(u, low, high, n);
}

void scale_into_ball(float* u, const float* x, double radius, int64_t n) {
  const double distance = std::sqrt(squared_distance(u, x, n));
  if (distance > radius) HWY_DYNAMIC_DISPATCH(ScaleDifference)(u, x, static_cast<float>(radius / distance), n);
}

}  // namespace arks::engine
#endif
