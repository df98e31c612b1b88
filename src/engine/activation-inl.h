// The activations on vectors, for the loops that apply one. Included once per target (Highway), hence no #pragma once.
#if defined(ARKS_ENGINE_ACTIVATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARKS_ENGINE_ACTIVATION_INL_H
#undef ARKS_ENGINE_ACTIVATION_INL_H
#else
#define ARKS_ENGINE_ACTIVATION_INL_H
#endif
#include "engine/activation.h"

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::CappedTag<float, 8>;
using Vector = hn::Vec<Tag>;

struct NoActivation {
  explicit NoActivation(float /*parameter*/) {}
  Vector apply(Vector x) const { return x; }
  Vector slope(Vector /*y*/) const { return hn::Set(Tag(), 1.0F); }
};

struct ReluActivation {
  explicit ReluActivation(float /*parameter*/) {}
  Vector apply(Vector x) const {
    // not Max: a NaN must come through
    return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(Tag())), x);
  }
  Vector slope(Vector y) const { return hn::IfThenElseZero(hn::Gt(y, hn::Zero(Tag())), hn::Set(Tag(), 1.0F)); }
};

struct EluActivation {
  explicit EluActivation(float parameter) : alpha(parameter) {}
  Vector apply(Vector x) const {
    const auto zero = hn::Zero(Tag());
    const auto scale = hn::Set(Tag(), alpha);
    // the exponential of a positive number is never used, and would overflow
    const auto below = hn::MulSub(scale, hn::Exp(Tag(), hn::Min(x, zero)), scale);
    return hn::IfThenElse(hn::Le(x, zero), below, x);
  }
  Vector slope(Vector y) const {
    return hn::IfThenElse(hn::Gt(y, hn::Zero(Tag())), hn::Set(Tag(), 1.0F), hn::Add(y, hn::Set(Tag(), alpha)));
  }
  float alpha;
};

struct LeakyReluActivation {
  explicit LeakyReluActivation(float parameter) : below(parameter) {}
  Vector apply(Vector x) const {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(Tag())), x, hn::Mul(x, hn::Set(Tag(), below)));
  }
  Vector slope(Vector y) const {
    return hn::IfThenElse(hn::Gt(y, hn::Zero(Tag())), hn::Set(Tag(), 1.0F), hn::Set(Tag(), below));
  }
  float below;
};

struct TanhActivation {
  explicit TanhActivation(float /*parameter*/) {}
  Vector apply(Vector x) const { return hn::Tanh(Tag(), x); }
  Vector slope(Vector y) const { return hn::NegMulAdd(y, y, hn::Set(Tag(), 1.0F)); }
};

struct SigmoidActivation {
  explicit SigmoidActivation(float /*parameter*/) {}
  Vector apply(Vector x) const {
    // Exp overflows into numbers that look right, so its argument is never positive
    const auto one = hn::Set(Tag(), 1.0F);
    const auto small = hn::Exp(Tag(), hn::Neg(hn::Abs(x)));
    const auto y = hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(Tag())), small, one), hn::Add(one, small));
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
  Vector slope(Vector y) const { return hn::NegMulAdd(y, y, y); }
};

/// Calls f with the activation of that kind, so that a loop is compiled for each.
template <typename Function>
HWY_INLINE void with_activation(const Activation& activation, Function f) {
  switch (activation.kind) {
    case Activation::Kind::kNone:
      return f(NoActivation(activation.parameter));
    case Activation::Kind::kRelu:
      return f(ReluActivation(activation.parameter));
    case Activation::Kind::kElu:
      return f(EluActivation(activation.parameter));
    case Activation::Kind::kLeakyRelu:
      return f(LeakyReluActivation(activation.parameter));
    case Activation::Kind::kTanh:
      return f(TanhActivation(activation.parameter));
    case Activation::Kind::kSigmoid:
      return f(SigmoidActivation(activation.parameter));
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
