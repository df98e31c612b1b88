// Winograd's transforms on vectors of eight channels, for every target: the one-dimensional maps of F(4,3) and F(2,3)
// with their adjoints, and the two-dimensional ones made of them that read or write a tile of a blocked map.
#if defined(ARKS_ENGINE_WINOGRAD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARKS_ENGINE_WINOGRAD_INL_H
#undef ARKS_ENGINE_WINOGRAD_INL_H
#else
#define ARKS_ENGINE_WINOGRAD_INL_H
#endif

#include "engine/gemm.h"
#include "engine/vec8-inl.h"
#include "engine/winograd.h"

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

/// A map of vectors; `apply` is one product with its matrix. Entries first and second of a pair share the most work.
template <int from, int to>
struct LinearMap {
  static constexpr int kFrom = from, kTo = to;
  using From = Vec8[from];
  using To = Vec8[to];
};
struct Pair {
  int first, second;
};

/// The matrices of F(m,3), with the points 0, ±1, ±2 (for m = 4) and ∞.
template <int tile>
struct Minimal;

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

/// One tile of one image: where it begins, and which of its rows and columns lie inside the map.
struct Tile {
  int64_t image, row, column;  // the first row and column may be negative
  int64_t rows_begin, rows_end, columns_begin, columns_end;
  bool first;  // of its image
};

/// The tiles first … first + count of all images. `rows` and `columns` count those of one image, `size` is that of one.
inline void find_tiles(const TiledMap& on, int64_t rows, int64_t columns, int64_t size, int64_t first, int64_t count,
                       Tile* tiles) {
  int64_t image = first / (rows * columns), row = first % (rows * columns) / columns, column = first % columns;
  for (int64_t t = 0; t < count; ++t) {
    Tile& tile = tiles[t];
    tile.image = image;
    tile.first = row == 0 && column == 0;
    tile.row = row * on.step - on.padding_h;
    tile.column = column * on.step - on.padding_w;
    tile.rows_begin = std::max<int64_t>(0, -tile.row);
    tile.columns_begin = std::max<int64_t>(0, -tile.column);
    tile.rows_end = std::min(size, on.map.height - tile.row);
    tile.columns_end = std::min(size, on.map.width - tile.column);
    if (++column < columns) continue;
    column = 0;
    if (++row < rows) continue;
    row = 0;
    ++image;
  }
}

/// Two rows of Map·tile: all of a tile's would not fit into registers, and what a pair does not need is never computed.
template <class Map, int pair, bool whole>
HWY_INLINE void row_pair(const float* const (&rows)[Map::kFrom], const Tile& tile, Vec8 (&first)[Map::kFrom],
                         Vec8 (&second)[Map::kFrom]) {
  HWY_UNROLL(6)
  for (int j = 0; j < Map::kFrom; ++j) {
    if (whole || (j >= tile.columns_begin && j < tile.columns_end)) {
      Vec8 column[Map::kFrom], image[Map::kTo];
      HWY_UNROLL(6)
      for (int i = 0; i < Map::kFrom; ++i) column[i] = load8(rows[i] + j * kBlock);
      Map::apply(column, image);
      first[j] = image[Map::kPairs[pair].first];
      second[j] = image[Map::kPairs[pair].second];
    } else {
      first[j] = second[j] = zero8();
    }
  }
}

template <class Map, int64_t stride>
HWY_INLINE void store_row(const Vec8 (&row)[Map::kFrom], float* to) {
  Vec8 image[Map::kTo];
  Map::apply(row, image);
  HWY_UNROLL(6)
  for (int j = 0; j < Map::kTo; ++j) store8(image[j], to + j * stride);
}

template <class Map, int pair, bool whole, int64_t stride>
HWY_INLINE void transform_pairs(const float* const (&rows)[Map::kFrom], const Tile& tile, float* to) {
  constexpr Pair rows_of = Map::kPairs[pair];
  Vec8 first[Map::kFrom], second[Map::kFrom];
  row_pair<Map, pair, whole>(rows, tile, first, second);
  store_row<Map, stride>(first, to + rows_of.first * Map::kTo * stride);
  store_row<Map, stride>(second, to + rows_of.second * Map::kTo * stride);
  if constexpr (2 * (pair + 1) < Map::kTo) transform_pairs<Map, pair + 1, whole, stride>(rows, tile, to);
}

/// Reads a tile [n,n] of eight channels, and writes Map·tile·Mapᵀ, entry f at to[f·stride]. `plane` is the map's,
/// `zeros` a row of it full of them.
template <class Map, int64_t stride>
HWY_INLINE void transform_from_map(const float* plane, int64_t width, const float* zeros, const Tile& tile, float* to) {
  const float* rows[Map::kFrom];
  HWY_UNROLL(6)
  for (int i = 0; i < Map::kFrom; ++i) {
    const bool inside = i >= tile.rows_begin && i < tile.rows_end;
    rows[i] = (inside ? plane + (tile.row + i) * width * kBlock : zeros) + tile.column * kBlock;
  }
  if (tile.columns_begin == 0 && tile.columns_end == Map::kFrom) {
    transform_pairs<Map, 0, true, stride>(rows, tile, to);
  } else {
    transform_pairs<Map, 0, false, stride>(rows, tile, to);
  }
}

/// Transforms the blocks begin … end of `count` tiles to [panel][f][group][16], panels of 16 channels.
template <class Map, int64_t group>
HWY_INLINE void gather(const FeatureMap& map, const Tile* tiles, int64_t count, const float* x, int64_t begin,
                       int64_t end, const float* zeros, float* to) {
  constexpr int64_t stride = group * kPanel;
  for (int64_t panel = begin; panel < end; panel += 2, to += Map::kTo * Map::kTo * stride) {
    for (int64_t t = 0; t < count; ++t) {
      const float* plane = x + tiles[t].image * map.size() + panel * map.plane() * kBlock;
      transform_from_map<Map, stride>(plane, map.width, zeros, tiles[t], to + t * kPanel);
      if (panel + 1 == end) continue;
      transform_from_map<Map, stride>(plane + map.plane() * kBlock, map.width, zeros, tiles[t],
                                      to + t * kPanel + kBlock);
    }
  }
}

/// Writes row i of a tile, or adds it, as far as it lies in the map.
template <class Map, bool add, bool whole>
HWY_INLINE void write_row(const Vec8 (&row)[Map::kFrom], int64_t i, float* plane, int64_t width, const Tile& tile) {
  if (!whole && (i < tile.rows_begin || i >= tile.rows_end)) return;
  float* to = plane + ((tile.row + i) * width + tile.column) * kBlock;
  Vec8 image[Map::kTo];
  Map::apply(row, image);
  HWY_UNROLL(6)
  for (int j = 0; j < Map::kTo; ++j) {
    if (whole || (j >= tile.columns_begin && j < tile.columns_end)) {
      store8(add ? load8(to + j * kBlock) + image[j] : image[j], to + j * kBlock);
    }
  }
}

template <class Map, int pair, bool add, bool whole, int64_t stride>
HWY_INLINE void write_pairs(const float* from, const Vec8& constant, float* plane, int64_t width, const Tile& tile) {
  constexpr Pair rows_of = Map::kPairs[pair];
  Vec8 first[Map::kFrom], second[Map::kFrom];
  HWY_UNROLL(6)
  for (int j = 0; j < Map::kFrom; ++j) {
    Vec8 column[Map::kFrom], image[Map::kTo];
    HWY_UNROLL(6)
    for (int i = 0; i < Map::kFrom; ++i) column[i] = load8(from + (i * Map::kFrom + j) * stride);
    // the point 1 in both directions: the transform carries this entry to all of the tile as it is
    if (!add && j == 1) column[1] = column[1] + constant;
    Map::apply(column, image);
    first[j] = image[rows_of.first];
    second[j] = image[rows_of.second];
  }
  write_row<Map, add, whole>(first, rows_of.first, plane, width, tile);
  write_row<Map, add, whole>(second, rows_of.second, plane, width, tile);
  if constexpr (2 * (pair + 1) < Map::kTo)
    write_pairs<Map, pair + 1, add, whole, stride>(from, constant, plane, width, tile);
}

/// Reads entry f at from[f·stride] and writes Map·entries·Mapᵀ + constant to a tile of the map; or adds it, and then
/// without the constant.
template <class Map, bool add, int64_t stride>
HWY_INLINE void transform_to_map(const float* from, const Vec8& constant, float* plane, int64_t width,
                                 const Tile& tile) {
  if (tile.rows_begin == 0 && tile.columns_begin == 0 && tile.rows_end == Map::kTo && tile.columns_end == Map::kTo) {
    write_pairs<Map, 0, add, true, stride>(from, constant, plane, width, tile);
  } else {
    write_pairs<Map, 0, add, false, stride>(from, constant, plane, width, tile);
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
