#include "engine/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/activation.cpp"
#include <hwy/foreach_target.h>

#include "engine/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

void Activate(const Activation& activation, float* y, int64_t n) {
  with_activation(activation, [&](const auto& f) {
    const Tag d;
    for (int64_t i = 0; i < n; i += static_cast<int64_t>(hn::Lanes(d))) {
      hn::StoreU(f.apply(hn::LoadU(d, y + i)), d, y + i);
    }
  });
}

void AddActivate(const Activation& activation, float* y, const float* x, int64_t n) {
  with_activation(activation, [&](const auto& f) {
    const Tag d;
    for (int64_t i = 0; i < n; i += static_cast<int64_t>(hn::Lanes(d))) {
      hn::StoreU(f.apply(hn::Add(hn::LoadU(d, y + i), hn::LoadU(d, x + i))), d, y + i);
    }
  });
}

void ActivateBackward(const Activation& activation, const float* y, float* dy, int64_t n) {
  with_activation(activation, [&](const auto& f) {
    const Tag d;
    for (int64_t i = 0; i < n; i += static_cast<int64_t>(hn::Lanes(d))) {
      hn::StoreU(hn::Mul(hn::LoadU(d, dy + i), f.slope(hn::LoadU(d, y + i))), d, dy + i);
    }
  });
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {

HWY_EXPORT(Activate);
HWY_EXPORT(AddActivate);
HWY_EXPORT(ActivateBackward);

void activate(const Activation& activation, float* y, int64_t n) {
  if (!activation.none()) HWY_DYNAMIC_DISPATCH(Activate)(activation, y, n);
}

void add_activate(const Activation& activation, float* y, const float* x, int64_t n) {
  HWY_DYNAMIC_DISPATCH(AddActivate)(activation, y, x, n);
}

void activate_backward(const Activation& activation, const float* y, float* dy, int64_t n) {
  if (!activation.none()) HWY_DYNAMIC_DISPATCH(ActivateBackward)(activation, y, dy, n);
}

void add(float* y, const float* x, int64_t n) {
  add_activate(Activation(), y, x, n);
}

}  // namespace arks::engine
#endif
