// Winograd's transforms on vectors of eight channels, for every target: the one-dimensional maps of F(4,3) and F(2,3)
// with their adjoints, and the two-dimensional ones made of them that read or write a tile of a blocked map.
#if defined(ARKS_ENGINE_WINOGRAD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARKS_ENGINE_WINOGRAD_INL_H
#undef ARKS_ENGINE_WINOGRAD_INL_H
#else
#define ARKS_ENGINE_WINOGRAD_INL_H
#endif

#include "engine/vec8-inl.h"
#include "engine/winograd.h"

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

/// A map of vectors; `apply` is one product with its matrix.
template <int from, int to>
struct LinearMap {
  static constexpr int kFrom = from, kTo = to;
  using From = Vec8[from];
  using To = Vec8[to];
};

/// The matrices of F(m,3), with the points 0, ±1, ±2 (for m = 4) and ∞.
template <int tile>
struct Minimal;

template <>
struct Minimal<4> {
  /// Bᵀ = [4 0 −5 0 1 0; 0 −4 −4 1 1 0; 0 4 −4 −1 1 0; 0 −2 −1 2 1 0; 0 2 −1 −2 1 0; 0 4 0 −5 0 1]
  struct Input : LinearMap<6, 6> {
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
    static HWY_INLINE void apply(const From& d, To& v) {
      v[0] = d[0] - d[2];
      v[1] = d[1] + d[2];
      v[2] = d[2] - d[1];
      v[3] = d[1] - d[3];
    }
  };
  /// B
  struct InputAdjoint : LinearMap<4, 4> {
    static HWY_INLINE void apply(const From& v, To& d) {
      d[0] = v[0];
      d[1] = (v[1] - v[2]) + v[3];
      d[2] = (v[1] + v[2]) - v[0];
      d[3] = zero8() - v[3];
    }
  };
  /// Aᵀ = [1 1 1 0; 0 1 −1 −1]
  struct Output : LinearMap<4, 2> {
    static HWY_INLINE void apply(const From& m, To& y) {
      y[0] = (m[0] + m[1]) + m[2];
      y[1] = (m[1] - m[2]) - m[3];
    }
  };
  /// A
  struct OutputAdjoint : LinearMap<2, 4> {
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

/// One tile of one image: where it begins, and which of its rows and columns lie inside the map.
struct Tile {
  int64_t image, row, column;  // the first row and column may be negative
  int64_t rows_begin, rows_end, columns_begin, columns_end;
  bool first;  // of its image
};

/// Number `index` of the tiles of all images. `rows` and `columns` count the tiles of one image, `size` is that of one
/// tile.
inline Tile tile_at(const TiledMap& on, int64_t index, int64_t rows, int64_t columns, int64_t size) {
  Tile tile;
  tile.image = index / (rows * columns);
  const int64_t rest = index - tile.image * rows * columns;
  tile.first = rest == 0;
  tile.row = rest / columns * on.step - on.padding_h;
  tile.column = rest % columns * on.step - on.padding_w;
  tile.rows_begin = std::max<int64_t>(0, -tile.row);
  tile.columns_begin = std::max<int64_t>(0, -tile.column);
  tile.rows_end = std::min(size, on.map.height - tile.row);
  tile.columns_end = std::min(size, on.map.width - tile.column);
  return tile;
}

/// Reads a tile [n,n] of eight channels, and writes Map·tile·Mapᵀ, entry f at to[f·stride]. `plane` is the map's,
/// `zeros` a row of it full of them.
template <class Map>
HWY_INLINE void transform_from_map(const float* plane, int64_t width, const float* zeros, const Tile& tile, float* to,
                                   int64_t stride) {
  constexpr int n = Map::kFrom, m = Map::kTo;
  const float* rows[n];
  for (int i = 0; i < n; ++i) {
    const bool inside = i >= tile.rows_begin && i < tile.rows_end;
    rows[i] = (inside ? plane + (tile.row + i) * width * kBlock : zeros) + tile.column * kBlock;
  }
  Vec8 half[m][n];
  for (int j = 0; j < n; ++j) {
    Vec8 column[n], image[m];
    if (j >= tile.columns_begin && j < tile.columns_end) {
      for (int i = 0; i < n; ++i) column[i] = load8(rows[i] + j * kBlock);
      Map::apply(column, image);
    } else {
      for (int i = 0; i < m; ++i) image[i] = zero8();
    }
    for (int i = 0; i < m; ++i) half[i][j] = image[i];
  }
  for (int i = 0; i < m; ++i) {
    Vec8 image[m];
    Map::apply(half[i], image);
    for (int j = 0; j < m; ++j) store8(image[j], to + (i * m + j) * stride);
  }
}

/// Transforms blocks of channels of the tiles first … first + count, tile t to to[t·tile_stride].
template <class Map>
HWY_INLINE void gather(const WinogradPass& pass, const TiledMap& on, const float* x, int64_t first, int64_t count,
                       int64_t block_begin, int64_t block_end, const float* zeros, float* to, int64_t tile_stride,
                       int64_t stride) {
  for (int64_t t = 0; t < count; ++t) {
    const Tile tile = tile_at(on, first + t, pass.rows, pass.columns, Map::kFrom);
    const float* image = x + tile.image * on.map.size();
    for (int64_t block = block_begin; block < block_end; ++block) {
      transform_from_map<Map>(image + block * on.map.plane() * kBlock, on.map.width, zeros, tile,
                              to + t * tile_stride + (block - block_begin) * kBlock, stride);
    }
  }
}

/// Reads entry f at from[f·stride] and writes Map·entries·Mapᵀ to a tile of the map, or adds it.
template <class Map, bool add>
HWY_INLINE void transform_to_map(const float* from, int64_t stride, float* plane, int64_t width, const Tile& tile) {
  constexpr int n = Map::kFrom, m = Map::kTo;
  Vec8 half[m][n];
  for (int j = 0; j < n; ++j) {
    Vec8 column[n], image[m];
    for (int i = 0; i < n; ++i) column[i] = load8(from + (i * n + j) * stride);
    Map::apply(column, image);
    for (int i = 0; i < m; ++i) half[i][j] = image[i];
  }
  const bool whole = tile.columns_begin == 0 && tile.columns_end == m;
  for (int64_t i = tile.rows_begin; i < tile.rows_end; ++i) {
    float* to = plane + ((tile.row + i) * width + tile.column) * kBlock;
    Vec8 image[m];
    Map::apply(half[i], image);
    if (whole) {
      for (int j = 0; j < m; ++j) {
        store8(add ? load8(to + j * kBlock) + image[j] : image[j], to + j * kBlock);
      }
    } else {
      for (int j = 0; j < m; ++j) {
        if (j >= tile.columns_begin && j < tile.columns_end) {
          store8(add ? load8(to + j * kBlock) + image[j] : image[j], to + j * kBlock);
        }
      }
    }
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
