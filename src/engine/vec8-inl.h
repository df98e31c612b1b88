// Eight floats, the channels of one block, as one value for every target: one register of AVX2, two of SSE4 or NEON.
// Included once per target, between foreach_target.h and the sources.
#if defined(ARKS_ENGINE_VEC8_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARKS_ENGINE_VEC8_INL_H
#undef ARKS_ENGINE_VEC8_INL_H
#else
#define ARKS_ENGINE_VEC8_INL_H
#endif

#include "engine/feature_map.h"

#include <hwy/highway.h>

// Loops over arrays of vectors are unrolled, or the vectors would not stay in registers. Not for the small targets:
// they have too few registers anyway, and it would take the compiler minutes.
#undef ARKS_UNROLL
#if HWY_MAX_BYTES >= 32
#define ARKS_UNROLL HWY_UNROLL(16)
#else
#define ARKS_UNROLL HWY_UNROLL(1)
#endif

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::CappedTag<float, kBlock>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(FloatTag()));
constexpr int kParts = static_cast<int>(kBlock) / kLanes;

struct Vec8 {
  hn::Vec<FloatTag> part[kParts];
};

HWY_INLINE Vec8 load8(const float* from) {
  Vec8 result;
  for (int i = 0; i < kParts; ++i) result.part[i] = hn::LoadU(FloatTag(), from + i * kLanes);
  return result;
}
HWY_INLINE void store8(const Vec8& value, float* to) {
  for (int i = 0; i < kParts; ++i) hn::StoreU(value.part[i], FloatTag(), to + i * kLanes);
}
HWY_INLINE Vec8 set8(float value) {
  Vec8 result;
  for (int i = 0; i < kParts; ++i) result.part[i] = hn::Set(FloatTag(), value);
  return result;
}
HWY_INLINE Vec8 zero8() {
  Vec8 result;
  for (int i = 0; i < kParts; ++i) result.part[i] = hn::Zero(FloatTag());
  return result;
}
HWY_INLINE Vec8 operator+(const Vec8& a, const Vec8& b) {
  Vec8 result;
  for (int i = 0; i < kParts; ++i) result.part[i] = hn::Add(a.part[i], b.part[i]);
  return result;
}
HWY_INLINE Vec8 operator-(const Vec8& a, const Vec8& b) {
  Vec8 result;
  for (int i = 0; i < kParts; ++i) result.part[i] = hn::Sub(a.part[i], b.part[i]);
  return result;
}
HWY_INLINE Vec8 operator*(const Vec8& a, const Vec8& b) {
  Vec8 result;
  for (int i = 0; i < kParts; ++i) result.part[i] = hn::Mul(a.part[i], b.part[i]);
  return result;
}
/// a·b + c, a·b − c, c − a·b and −a·b − c, rounded once where the target can.
HWY_INLINE Vec8 mul_add(const Vec8& a, const Vec8& b, const Vec8& c) {
  Vec8 result;
  for (int i = 0; i < kParts; ++i) result.part[i] = hn::MulAdd(a.part[i], b.part[i], c.part[i]);
  return result;
}
HWY_INLINE Vec8 mul_sub(const Vec8& a, const Vec8& b, const Vec8& c) {
  Vec8 result;
  for (int i = 0; i < kParts; ++i) result.part[i] = hn::MulSub(a.part[i], b.part[i], c.part[i]);
  return result;
}
HWY_INLINE Vec8 neg_mul_add(const Vec8& a, const Vec8& b, const Vec8& c) {
  Vec8 result;
  for (int i = 0; i < kParts; ++i) result.part[i] = hn::NegMulAdd(a.part[i], b.part[i], c.part[i]);
  return result;
}
HWY_INLINE Vec8 neg_mul_sub(const Vec8& a, const Vec8& b, const Vec8& c) {
  Vec8 result;
  for (int i = 0; i < kParts; ++i) result.part[i] = hn::NegMulSub(a.part[i], b.part[i], c.part[i]);
  return result;
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
