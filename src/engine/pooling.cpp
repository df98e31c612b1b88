#include "engine/pooling.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/pooling.cpp"
#include <hwy/foreach_target.h>

#include "engine/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

using WinnerTag = hn::Rebind<uint8_t, Tag>;
using NumberTag = hn::RebindToSigned<Tag>;

/// The cells of a window that lie on the map.
struct Cells {
  int64_t first, last;  // last is one beyond
  int64_t origin;       // where the window begins, maybe before the map
};

HWY_INLINE Cells cells(int64_t position, int64_t kernel, int64_t stride, int64_t padding, int64_t extent) {
  const int64_t origin = position * stride - padding;
  return {std::max<int64_t>(0, -origin), std::min(kernel, extent - origin), origin};
}

/// Runs `window(out offset, rows, columns)` over all windows of one block of channels.
template <typename Window>
HWY_INLINE void for_windows(const Pooling& pooling, const FeatureMap& in, const FeatureMap& out, Window window) {
  for (int64_t oy = 0; oy < out.height; ++oy) {
    const auto rows = cells(oy, pooling.kernel[0], pooling.stride[0], pooling.padding[0], in.height);
    for (int64_t ox = 0; ox < out.width; ++ox) {
      const auto columns = cells(ox, pooling.kernel[1], pooling.stride[1], pooling.padding[1], in.width);
      window((oy * out.width + ox) * kBlock, rows, columns);
    }
  }
}

/// The better of two: a NaN wins, and so comes through.
HWY_INLINE void challenge(Vector candidate, int32_t number, Vector& best, hn::Vec<NumberTag>& who) {
  const auto wins = hn::Or(hn::Gt(candidate, best), hn::IsNaN(candidate));
  best = hn::IfThenElse(wins, candidate, best);
  who = hn::IfThenElse(hn::RebindMask(NumberTag(), wins), hn::Set(NumberTag(), number), who);
}

template <typename F>
HWY_INLINE void pool_block(const Pooling& pooling, const FeatureMap& in, const FeatureMap& out, const F& f,
                           const float* x, float* y, uint8_t* winner) {
  const Tag d;
  for_windows(pooling, in, out, [&](int64_t at, const Cells& rows, const Cells& columns) {
    for (int64_t lane = 0; lane < kBlock; lane += static_cast<int64_t>(hn::Lanes(d))) {
      const auto cell = [&](int64_t ky, int64_t kx) {
        return hn::LoadU(d, x + ((rows.origin + ky) * in.width + columns.origin + kx) * kBlock + lane);
      };
      auto best = cell(rows.first, columns.first);
      auto who = hn::Set(NumberTag(), static_cast<int32_t>(rows.first * pooling.kernel[1] + columns.first));
      for (int64_t ky = rows.first; ky < rows.last; ++ky) {
        for (int64_t kx = columns.first; kx < columns.last; ++kx) {
          challenge(cell(ky, kx), static_cast<int32_t>(ky * pooling.kernel[1] + kx), best, who);
        }
      }
      hn::StoreU(f.apply(best), d, y + at + lane);
      hn::StoreU(hn::DemoteTo(WinnerTag(), who), WinnerTag(), winner + at + lane);
    }
  });
}

/// The same for 2×2 windows of stride 2 without padding, the common case, without a branch.
template <typename F>
HWY_INLINE void pool_block_2x2(const FeatureMap& in, const FeatureMap& out, const F& f, const float* x, float* y,
                               uint8_t* winner) {
  const Tag d;
  const int64_t row = in.width * kBlock;
  for (int64_t oy = 0; oy < out.height; ++oy) {
    for (int64_t ox = 0; ox < out.width; ++ox) {
      const float* const corner = x + (2 * oy * in.width + 2 * ox) * kBlock;
      const int64_t at = (oy * out.width + ox) * kBlock;
      for (int64_t lane = 0; lane < kBlock; lane += static_cast<int64_t>(hn::Lanes(d))) {
        auto best = hn::LoadU(d, corner + lane);
        auto who = hn::Zero(NumberTag());
        challenge(hn::LoadU(d, corner + kBlock + lane), 1, best, who);
        challenge(hn::LoadU(d, corner + row + lane), 2, best, who);
        challenge(hn::LoadU(d, corner + row + kBlock + lane), 3, best, who);
        hn::StoreU(f.apply(best), d, y + at + lane);
        hn::StoreU(hn::DemoteTo(WinnerTag(), who), WinnerTag(), winner + at + lane);
      }
    }
  }
}

bool two_by_two(const Pooling& pooling) {
  const std::array<int64_t, 2> two{2, 2}, none{0, 0};
  return pooling.kernel == two && pooling.stride == two && pooling.padding == none;
}

void MaxPool(const Pooling& pooling, const FeatureMap& in, const Activation& activation, const float* x, float* y,
             uint8_t* winner) {
  const auto out = pooling.out(in);
  const bool simple = two_by_two(pooling);
  with_activation(activation, [&](const auto& f) {
    for (int64_t block = 0; block < blocks(in.channels); ++block) {
      const float* const from = x + block * in.plane() * kBlock;
      const int64_t to = block * out.plane() * kBlock;
      if (simple) {
        pool_block_2x2(in, out, f, from, y + to, winner + to);
      } else {
        pool_block(pooling, in, out, f, from, y + to, winner + to);
      }
    }
  });
}

void MaxUnpool(const Pooling& pooling, const FeatureMap& in, const float* dy, const uint8_t* winner, float* dx) {
  const Tag d;
  const auto out = pooling.out(in);
  // disjoint windows without gaps write every cell once
  const bool every = two_by_two(pooling) && in.height == 2 * out.height && in.width == 2 * out.width;
  if (!every) std::memset(dx, 0, static_cast<size_t>(in.size()) * sizeof(float));
  for (int64_t block = 0; block < blocks(in.channels); ++block) {
    float* const to = dx + block * in.plane() * kBlock;
    const float* const from = dy + block * out.plane() * kBlock;
    const uint8_t* const who = winner + block * out.plane() * kBlock;
    for_windows(pooling, in, out, [&](int64_t at, const Cells& rows, const Cells& columns) {
      for (int64_t lane = 0; lane < kBlock; lane += static_cast<int64_t>(hn::Lanes(d))) {
        const auto gradient = hn::LoadU(d, from + at + lane);
        const auto won = hn::PromoteTo(NumberTag(), hn::LoadU(WinnerTag(), who + at + lane));
        for (int64_t ky = rows.first; ky < rows.last; ++ky) {
          for (int64_t kx = columns.first; kx < columns.last; ++kx) {
            float* const cell = to + ((rows.origin + ky) * in.width + columns.origin + kx) * kBlock + lane;
            const auto number = hn::Set(NumberTag(), static_cast<int32_t>(ky * pooling.kernel[1] + kx));
            const auto part = hn::IfThenElseZero(hn::RebindMask(d, hn::Eq(won, number)), gradient);
            hn::StoreU(every ? part : hn::Add(hn::LoadU(d, cell), part), d, cell);
          }
        }
      }
    });
  }
}

void AveragePool(const Pooling& pooling, const FeatureMap& in, const float* x, float* y) {
  const Tag d;
  const auto out = pooling.out(in);
  const auto share = hn::Set(d, 1.0F / static_cast<float>(pooling.kernel[0] * pooling.kernel[1]));
  for (int64_t block = 0; block < blocks(in.channels); ++block) {
    const float* const from = x + block * in.plane() * kBlock;
    float* const to = y + block * out.plane() * kBlock;
    for_windows(pooling, in, out, [&](int64_t at, const Cells& rows, const Cells& columns) {
      for (int64_t lane = 0; lane < kBlock; lane += static_cast<int64_t>(hn::Lanes(d))) {
        auto sum = hn::Zero(d);
        for (int64_t ky = rows.first; ky < rows.last; ++ky) {
          for (int64_t kx = columns.first; kx < columns.last; ++kx) {
            const int64_t cell = ((rows.origin + ky) * in.width + columns.origin + kx) * kBlock;
            sum = hn::Add(sum, hn::LoadU(d, from + cell + lane));
          }
        }
        hn::StoreU(hn::Mul(sum, share), d, to + at + lane);
      }
    });
  }
}

void AverageUnpool(const Pooling& pooling, const FeatureMap& in, const float* dy, float* dx) {
  const Tag d;
  const auto out = pooling.out(in);
  const auto share = hn::Set(d, 1.0F / static_cast<float>(pooling.kernel[0] * pooling.kernel[1]));
  std::memset(dx, 0, static_cast<size_t>(in.size()) * sizeof(float));
  for (int64_t block = 0; block < blocks(in.channels); ++block) {
    float* const to = dx + block * in.plane() * kBlock;
    const float* const from = dy + block * out.plane() * kBlock;
    for_windows(pooling, in, out, [&](int64_t at, const Cells& rows, const Cells& columns) {
      for (int64_t lane = 0; lane < kBlock; lane += static_cast<int64_t>(hn::Lanes(d))) {
        const auto part = hn::Mul(hn::LoadU(d, from + at + lane), share);
        for (int64_t ky = rows.first; ky < rows.last; ++ky) {
          for (int64_t kx = columns.first; kx < columns.last; ++kx) {
            float* const cell = to + ((rows.origin + ky) * in.width + columns.origin + kx) * kBlock + lane;
            hn::StoreU(hn::Add(hn::LoadU(d, cell), part), d, cell);
          }
        }
      }
    });
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arks::engine {

HWY_EXPORT(MaxPool);
HWY_EXPORT(MaxUnpool);
HWY_EXPORT(AveragePool);
HWY_EXPORT(AverageUnpool);

FeatureMap Pooling::out(const FeatureMap& in) const {
  return {in.channels, (in.height + 2 * padding[0] - kernel[0]) / stride[0] + 1,
          (in.width + 2 * padding[1] - kernel[1]) / stride[1] + 1};
}

void max_pool(const Pooling& pooling, const FeatureMap& in, const Activation& f, const float* x, float* y,
              uint8_t* winner) {
  HWY_DYNAMIC_DISPATCH(MaxPool)(pooling, in, f, x, y, winner);
}

void max_unpool(const Pooling& pooling, const FeatureMap& in, const float* dy, const uint8_t* winner, float* dx) {
  HWY_DYNAMIC_DISPATCH(MaxUnpool)(pooling, in, dy, winner, dx);
}

void average_pool(const Pooling& pooling, const FeatureMap& in, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(AveragePool)(pooling, in, x, y);
}

void average_unpool(const Pooling& pooling, const FeatureMap& in, const float* dy, float* dx) {
  HWY_DYNAMIC_DISPATCH(AverageUnpool)(pooling, in, dy, dx);
}

}  // namespace arks::engine
#endif
