#include "engine/normalise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/normalise.cpp"
#include <hwy/foreach_target.h>

#include "engine/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

/// Runs `lanes(channel, offset)` over every group of lanes: `channel` into the numbers per channel, `offset` to its
/// first value; the next values follow at distances of kBlock.
template <typename Lanes>
HWY_INLINE void for_lanes(const FeatureMap& map, Lanes lanes) {
  const Tag d;
  for (int64_t block = 0; block < blocks(map.channels); ++block) {
    for (int64_t lane = 0; lane < kBlock; lane += static_cast<int64_t>(hn::Lanes(d))) {
      lanes(block * kBlock + lane, block * map.plane() * kBlock + lane);
    }
  }
}

void ChannelMoments(const FeatureMap& map, const float* x, float* mean, float* squares) {
  const Tag d;
  const int64_t cells = map.plane();
  const auto share = hn::Set(d, 1.0F / static_cast<float>(cells));
  for_lanes(map, [&](int64_t channel, int64_t offset) {
    const float* const from = x + offset;
    // two sums at a time: one would wait for itself
    auto even = hn::Zero(d), odd = hn::Zero(d);
    int64_t i = 0;
    for (; i + 1 < cells; i += 2) {
      even = hn::Add(even, hn::LoadU(d, from + i * kBlock));
      odd = hn::Add(odd, hn::LoadU(d, from + (i + 1) * kBlock));
    }
    if (i < cells) even = hn::Add(even, hn::LoadU(d, from + i * kBlock));
    const auto centre = hn::Mul(hn::Add(even, odd), share);
    even = odd = hn::Zero(d);
    for (i = 0; i + 1 < cells; i += 2) {
      const auto first = hn::Sub(hn::LoadU(d, from + i * kBlock), centre);
      const auto second = hn::Sub(hn::LoadU(d, from + (i + 1) * kBlock), centre);
      even = hn::MulAdd(first, first, even);
      odd = hn::MulAdd(second, second, odd);
    }
    if (i < cells) {
      const auto last = hn::Sub(hn::LoadU(d, from + i * kBlock), centre);
      even = hn::MulAdd(last, last, even);
    }
    hn::StoreU(centre, d, mean + channel);
    hn::StoreU(hn::Add(even, odd), d, squares + channel);
  });
}

void ScaleShift(const FeatureMap& map, const float* scale, const float* shift, const Activation& activation,
                const float* x, const float* rest, float* y) {
  const Tag d;
  with_activation(activation, [&](const auto& f) {
    for_lanes(map, [&](int64_t channel, int64_t offset) {
      const auto a = hn::LoadU(d, scale + channel), b = hn::LoadU(d, shift + channel);
      const int64_t end = offset + map.plane() * kBlock;
      if (rest == nullptr) {
        for (int64_t i = offset; i < end; i += kBlock) {
          hn::StoreU(f.apply(hn::MulAdd(a, hn::LoadU(d, x + i), b)), d, y + i);
        }
      } else {
        for (int64_t i = offset; i < end; i += kBlock) {
          const auto sum = hn::Add(hn::MulAdd(a, hn::LoadU(d, x + i), b), hn::LoadU(d, rest + i));
          hn::StoreU(f.apply(sum), d, y + i);
        }
      }
    });
  });
}

void ScaleShiftBackward(const FeatureMap& map, const float* centre, const Activation& activation, const float* y,
                        const float* x, float* dy, float* sum, float* sum_product) {
  const Tag d;
  with_activation(activation, [&](const auto& f) {
    for_lanes(map, [&](int64_t channel, int64_t offset) {
      const auto middle = hn::LoadU(d, centre + channel);
      auto plain = hn::Zero(d), product = hn::Zero(d);
      const int64_t end = offset + map.plane() * kBlock;
      for (int64_t i = offset; i < end; i += kBlock) {
        const auto gradient = hn::Mul(hn::LoadU(d, dy + i), f.slope(hn::LoadU(d, y + i)));
        hn::StoreU(gradient, d, dy + i);
        plain = hn::Add(plain, gradient);
        product = hn::MulAdd(gradient, hn::Sub(hn::LoadU(d, x + i), middle), product);
      }
      hn::StoreU(plain, d, sum + channel);
      hn::StoreU(product, d, sum_product + channel);
    });
  });
}

void Combine(const FeatureMap& map, const float* by_dy, const float* by_x, const float* constant, const float* dy,
             const float* x, float* dx) {
  const Tag d;
  for_lanes(map, [&](int64_t channel, int64_t offset) {
    const auto a = hn::LoadU(d, by_dy + channel), b = hn::LoadU(d, by_x + channel),
               c = hn::LoadU(d, constant + channel);
    const int64_t end = offset + map.plane() * kBlock;
    for (int64_t i = offset; i < end; i += kBlock) {
      const auto part = hn::MulAdd(b, hn::LoadU(d, x + i), c);
      hn::StoreU(hn::MulAdd(a, hn::LoadU(d, dy + i), part), d, dx + i);
    }
  });
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {

HWY_EXPORT(ChannelMoments);
HWY_EXPORT(ScaleShift);
HWY_EXPORT(ScaleShiftBackward);
HWY_EXPORT(Combine);

void channel_moments(const FeatureMap& map, const float* x, float* mean, float* squares) {
  HWY_DYNAMIC_DISPATCH(ChannelMoments)(map, x, mean, squares);
}

void scale_shift(const FeatureMap& map, const float* scale, const float* shift, const Activation& f, const float* x,
                 const float* rest, float* y) {
  HWY_DYNAMIC_DISPATCH(ScaleShift)(map, scale, shift, f, x, rest, y);
}

void scale_shift_backward(const FeatureMap& map, const float* centre, const Activation& f, const float* y,
                          const float* x, float* dy, float* sum, float* sum_product) {
  HWY_DYNAMIC_DISPATCH(ScaleShiftBackward)(map, centre, f, y, x, dy, sum, sum_product);
}

void combine(const FeatureMap& map, const float* by_dy, const float* by_x, const float* constant, const float* dy,
             const float* x, float* dx) {
  HWY_DYNAMIC_DISPATCH(Combine)(map, by_dy, by_x, constant, dy, x, dx);
}

}  // namespace arks::engine
#endif
