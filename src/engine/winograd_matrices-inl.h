// The matrices of Winograd's minimal filtering F(m,3) and their adjoints as programs on vectors, for every target.
#if defined(ARKS_ENGINE_WINOGRAD_MATRICES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARKS_ENGINE_WINOGRAD_MATRICES_INL_H
#undef ARKS_ENGINE_WINOGRAD_MATRICES_INL_H
#else
#define ARKS_ENGINE_WINOGRAD_MATRICES_INL_H
#endif

#include "engine/vec8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

/// A map of vectors; `apply` is one product with its matrix. Where two rows of a transformed tile fit into registers,
/// kPairs says which of them share the most work.
template <int from, int to, bool paired = true>
struct LinearMap {
  static constexpr int kFrom = from, kTo = to;
  static constexpr bool kPaired = paired && kParts == 1;
  using From = Vec8[from];
  using To = Vec8[to];
};
struct Pair {
  int first, second;
};

/// The matrices of F(m,3), with the points 0, ±1, for m = 4 also ±2, for m = 6 also ±2 and ±½, and ∞.
template <int tile>
struct Minimal;

template <>
struct Minimal<6> {
  /// Bᵀ = [1 0 −21/4 0 21/4 0 −1 0; 0 ±1 1 ∓17/4 −17/4 ±1 1 0; 0 ±½ ¼ ∓5/2 −5/4 ±2 1 0; 0 ±2 4 ∓5/2 −5 ±½ 1 0;
  ///       0 −1 0 21/4 0 −21/4 0 1], where ± stands for two rows
  struct Input : LinearMap<8, 8, false> {
    static HWY_INLINE void apply(const From& d, To& v) {
      const Vec8 most = set8(5.25f), quarter = set8(0.25f), half = set8(0.5f), two = set8(2.0f), four = set8(4.0f);
      const Vec8 even = d[2] - d[4], even2 = d[6] - d[4], odd = d[5] - d[3], odd2 = d[1] - d[3];
      v[0] = neg_mul_add(most, even, d[0] - d[6]);
      v[7] = neg_mul_add(most, odd, d[7] - d[1]);
      const Vec8 middle = set8(4.25f);
      const Vec8 sum = neg_mul_add(middle, d[4], d[2] + d[6]), sum2 = neg_mul_add(middle, d[3], d[1] + d[5]);
      v[1] = sum + sum2;
      v[2] = sum - sum2;
      const Vec8 sum3 = mul_add(quarter, even, even2), sum4 = mul_add(four, odd, odd2);
      v[3] = mul_add(half, sum4, sum3);
      v[4] = neg_mul_add(half, sum4, sum3);
      const Vec8 sum5 = mul_add(four, even, even2), sum6 = mul_add(quarter, odd, odd2);
      v[5] = mul_add(two, sum6, sum5);
      v[6] = neg_mul_add(two, sum6, sum5);
    }
  };
  /// B
  struct InputAdjoint : LinearMap<8, 8, false> {
    static HWY_INLINE void apply(const From& v, To& d) {
      const Vec8 most = set8(5.25f), middle = set8(4.25f), half = set8(0.5f), two = set8(2.0f);
      const Vec8 sum = v[1] + v[2], sum2 = v[3] + v[4], sum3 = v[5] + v[6];
      const Vec8 difference = v[1] - v[2], difference2 = v[3] - v[4], difference3 = v[5] - v[6];
      d[0] = v[0];
      d[1] = mul_add(two, difference3, mul_add(half, difference2, difference - v[7]));
      d[2] = mul_add(set8(4.0f), sum3, mul_add(set8(0.25f), sum2, neg_mul_add(most, v[0], sum)));
      d[3] = neg_mul_add(set8(2.5f), difference2 + difference3, mul_sub(most, v[7], middle * difference));
      d[4] = neg_mul_add(set8(5.0f), sum3, neg_mul_add(set8(1.25f), sum2, mul_sub(most, v[0], middle * sum)));
      d[5] = mul_add(half, difference3, mul_add(two, difference2, neg_mul_add(most, v[7], difference)));
      d[6] = (sum + sum2) + (sum3 - v[0]);
      d[7] = v[7];
    }
  };
  /// Aᵀ = [1 1 1 1 1 32 32 0; 0 1 −1 2 −2 16 −16 0; 0 1 1 4 4 8 8 0; 0 1 −1 8 −8 4 −4 0; 0 1 1 16 16 2 2 0;
  ///       0 1 −1 32 −32 1 −1 1]
  struct Output : LinearMap<8, 6, false> {
    static HWY_INLINE void apply(const From& m, To& y) {
      const Vec8 sum = m[1] + m[2], sum2 = m[3] + m[4], sum3 = m[5] + m[6];
      const Vec8 difference = m[1] - m[2], difference2 = m[3] - m[4], difference3 = m[5] - m[6];
      const Vec8 two = set8(2.0f), four = set8(4.0f), eight = set8(8.0f), most = set8(32.0f);
      y[0] = mul_add(most, sum3, (m[0] + sum) + sum2);
      y[1] = mul_add(two, mul_add(eight, difference3, difference2), difference);
      y[2] = mul_add(four, mul_add(two, sum3, sum2), sum);
      y[3] = mul_add(four, mul_add(two, difference2, difference3), difference);
      y[4] = mul_add(two, mul_add(eight, sum2, sum3), sum);
      y[5] = mul_add(most, difference2, difference) + (difference3 + m[7]);
    }
  };
  /// A
  struct OutputAdjoint : LinearMap<6, 8> {
    static constexpr Pair kPairs[] = {{0, 7}, {1, 2}, {3, 4}, {5, 6}};
    static HWY_INLINE void apply(const From& y, To& m) {
      const Vec8 two = set8(2.0f), four = set8(4.0f);
      const Vec8 even = (y[0] + y[2]) + y[4], odd = (y[1] + y[3]) + y[5];
      const Vec8 even2 = mul_add(four, mul_add(four, y[4], y[2]), y[0]);
      const Vec8 odd2 = mul_add(four, mul_add(four, y[5], y[3]), y[1]);
      const Vec8 even3 = mul_add(four, mul_add(four, y[0], y[2]), y[4]);
      const Vec8 odd3 = mul_add(four, mul_add(four, y[1], y[3]), y[5]);
      m[0] = y[0];
      m[1] = even + odd;
      m[2] = even - odd;
      m[3] = mul_add(two, odd2, even2);
      m[4] = neg_mul_add(two, odd2, even2);
      m[5] = mul_add(two, even3, odd3);
      m[6] = mul_sub(two, even3, odd3);
      m[7] = y[5];
    }
  };
  /// G = [1 0 0; −2/9 ∓2/9 −2/9; 1/90 ±1/45 2/45; 1/45 ±1/90 1/180; 0 0 1]
  struct Kernel : LinearMap<3, 8> {
    static HWY_INLINE void apply(const From& g, To& u) {
      const Vec8 ninth = set8(2.0f / 9), even = g[0] + g[2];
      u[0] = g[0];
      u[1] = neg_mul_sub(ninth, even, ninth * g[1]);
      u[2] = mul_sub(ninth, g[1], ninth * even);
      const Vec8 even2 = mul_add(set8(1.0f / 90), g[0], set8(2.0f / 45) * g[2]), odd2 = set8(1.0f / 45) * g[1];
      u[3] = even2 + odd2;
      u[4] = even2 - odd2;
      const Vec8 even3 = mul_add(set8(1.0f / 45), g[0], set8(1.0f / 180) * g[2]), odd3 = set8(1.0f / 90) * g[1];
      u[5] = even3 + odd3;
      u[6] = even3 - odd3;
      u[7] = g[2];
    }
  };
  /// Gᵀ
  struct KernelAdjoint : LinearMap<8, 3> {
    static HWY_INLINE void apply(const From& u, To& g) {
      const Vec8 ninth = set8(2.0f / 9), sum = ninth * (u[1] + u[2]), sum2 = u[3] + u[4], sum3 = u[5] + u[6];
      g[0] = mul_add(set8(1.0f / 45), sum3, mul_add(set8(1.0f / 90), sum2, u[0] - sum));
      g[1] = mul_add(set8(1.0f / 90), u[5] - u[6], mul_add(set8(1.0f / 45), u[3] - u[4], ninth * (u[2] - u[1])));
      g[2] = mul_add(set8(1.0f / 180), sum3, mul_add(set8(2.0f / 45), sum2, u[7] - sum));
    }
  };
};

template <>
struct Minimal<4> {
  /// Bᵀ = [4 0 −5 0 1 0; 0 −4 −4 1 1 0; 0 4 −4 −1 1 0; 0 −2 −1 2 1 0; 0 2 −1 −2 1 0; 0 4 0 −5 0 1]
  struct Input : LinearMap<6, 6> {
    static constexpr Pair kPairs[] = {{0, 5}, {1, 2}, {3, 4}};
    static HWY_INLINE void apply(const From& d, To& v) {
      const Vec8 two = set8(2.0f), four = set8(4.0f);
      const Vec8 even = neg_mul_add(four, d[2], d[4]), odd = neg_mul_add(four, d[1], d[3]);
      const Vec8 even2 = d[4] - d[2], odd2 = d[3] - d[1];
      v[0] = mul_add(four, d[0] - d[2], even2);
      v[1] = even + odd;
      v[2] = even - odd;
      v[3] = mul_add(two, odd2, even2);
      v[4] = neg_mul_add(two, odd2, even2);
      v[5] = neg_mul_add(four, odd2, d[5] - d[3]);
    }
  };
  /// B
  struct InputAdjoint : LinearMap<6, 6> {
    static constexpr Pair kPairs[] = {{0, 5}, {1, 3}, {2, 4}};
    static HWY_INLINE void apply(const From& v, To& d) {
      const Vec8 four = set8(4.0f), five = set8(5.0f);
      const Vec8 sum = v[1] + v[2], difference = v[1] - v[2];
      const Vec8 sum2 = v[3] + v[4], half = v[3] - v[4], difference2 = half + half;
      d[0] = four * v[0];
      d[1] = mul_sub(four, v[5] - difference, difference2);
      d[2] = neg_mul_add(four, sum, neg_mul_sub(five, v[0], sum2));
      d[3] = neg_mul_add(five, v[5], difference + difference2);
      d[4] = (sum + sum2) + v[0];
      d[5] = v[5];
    }
  };
  /// Aᵀ = [1 1 1 1 1 0; 0 1 −1 2 −2 0; 0 1 1 4 4 0; 0 1 −1 8 −8 1]
  struct Output : LinearMap<6, 4> {
    static constexpr Pair kPairs[] = {{0, 2}, {1, 3}};
    static HWY_INLINE void apply(const From& m, To& y) {
      const Vec8 sum = m[1] + m[2], difference = m[1] - m[2];
      const Vec8 sum2 = m[3] + m[4], difference2 = m[3] - m[4];
      y[0] = (m[0] + sum) + sum2;
      y[1] = mul_add(set8(2.0f), difference2, difference);
      y[2] = mul_add(set8(4.0f), sum2, sum);
      y[3] = mul_add(set8(8.0f), difference2, difference) + m[5];
    }
  };
  /// A
  struct OutputAdjoint : LinearMap<4, 6> {
    static constexpr Pair kPairs[] = {{0, 5}, {1, 2}, {3, 4}};
    static HWY_INLINE void apply(const From& y, To& m) {
      const Vec8 two = set8(2.0f), four = set8(4.0f);
      const Vec8 even = y[0] + y[2], odd = y[1] + y[3];
      const Vec8 even2 = mul_add(four, y[2], y[0]), odd2 = mul_add(four, y[3], y[1]);
      m[0] = y[0];
      m[1] = even + odd;
      m[2] = even - odd;
      m[3] = mul_add(two, odd2, even2);
      m[4] = neg_mul_add(two, odd2, even2);
      m[5] = y[3];
    }
  };
  /// G = [1/4 0 0; −1/6 −1/6 −1/6; −1/6 1/6 −1/6; 1/24 1/12 1/6; 1/24 −1/12 1/6; 0 0 1]
  struct Kernel : LinearMap<3, 6> {
    static HWY_INLINE void apply(const From& g, To& u) {
      const Vec8 sixth = set8(1.0f / 6), twelfth = set8(1.0f / 12), last = set8(1.0f / 24);
      const Vec8 even = g[0] + g[2], even2 = mul_add(last, g[0], sixth * g[2]), odd2 = twelfth * g[1];
      u[0] = set8(0.25f) * g[0];
      u[1] = neg_mul_sub(sixth, even, sixth * g[1]);
      u[2] = mul_sub(sixth, g[1], sixth * even);
      u[3] = even2 + odd2;
      u[4] = even2 - odd2;
      u[5] = g[2];
    }
  };
  /// Gᵀ
  struct KernelAdjoint : LinearMap<6, 3> {
    static HWY_INLINE void apply(const From& u, To& g) {
      const Vec8 sixth = set8(1.0f / 6), twelfth = set8(1.0f / 12), last = set8(1.0f / 24);
      const Vec8 sum = u[1] + u[2], sum2 = u[3] + u[4];
      g[0] = mul_add(last, sum2, mul_sub(set8(0.25f), u[0], sixth * sum));
      g[1] = mul_add(twelfth, u[3] - u[4], sixth * (u[2] - u[1]));
      g[2] = mul_add(sixth, sum2 - sum, u[5]);
    }
  };
};

template <>
struct Minimal<2> {
  /// Bᵀ = [1 0 −1 0; 0 1 1 0; 0 −1 1 0; 0 1 0 −1]
  struct Input : LinearMap<4, 4> {
    static constexpr Pair kPairs[] = {{0, 3}, {1, 2}};
    static HWY_INLINE void apply(const From& d, To& v) {
      v[0] = d[0] - d[2];
      v[1] = d[1] + d[2];
      v[2] = d[2] - d[1];
      v[3] = d[1] - d[3];
    }
  };
  /// B
  struct InputAdjoint : LinearMap<4, 4> {
    static constexpr Pair kPairs[] = {{0, 3}, {1, 2}};
    static HWY_INLINE void apply(const From& v, To& d) {
      d[0] = v[0];
      d[1] = (v[1] - v[2]) + v[3];
      d[2] = (v[1] + v[2]) - v[0];
      d[3] = zero8() - v[3];
    }
  };
  /// Aᵀ = [1 1 1 0; 0 1 −1 −1]
  struct Output : LinearMap<4, 2> {
    static constexpr Pair kPairs[] = {{0, 1}};
    static HWY_INLINE void apply(const From& m, To& y) {
      y[0] = (m[0] + m[1]) + m[2];
      y[1] = (m[1] - m[2]) - m[3];
    }
  };
  /// A
  struct OutputAdjoint : LinearMap<2, 4> {
    static constexpr Pair kPairs[] = {{0, 3}, {1, 2}};
    static HWY_INLINE void apply(const From& y, To& m) {
      m[0] = y[0];
      m[1] = y[0] + y[1];
      m[2] = y[0] - y[1];
      m[3] = zero8() - y[1];
    }
  };
  /// G = [1 0 0; ½ ½ ½; ½ −½ ½; 0 0 1]
  struct Kernel : LinearMap<3, 4> {
    static HWY_INLINE void apply(const From& g, To& u) {
      const Vec8 half = set8(0.5f), even = g[0] + g[2];
      u[0] = g[0];
      u[1] = half * (even + g[1]);
      u[2] = half * (even - g[1]);
      u[3] = g[2];
    }
  };
  /// Gᵀ
  struct KernelAdjoint : LinearMap<4, 3> {
    static HWY_INLINE void apply(const From& u, To& g) {
      const Vec8 half = set8(0.5f), sum = half * (u[1] + u[2]);
      g[0] = u[0] + sum;
      g[1] = half * (u[1] - u[2]);
      g[2] = sum + u[3];
    }
  };
};

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
