// Winograd's transforms of tiles, which read or write a blocked map, for every target.
#if defined(ARKS_ENGINE_WINOGRAD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARKS_ENGINE_WINOGRAD_INL_H
#undef ARKS_ENGINE_WINOGRAD_INL_H
#else
#define ARKS_ENGINE_WINOGRAD_INL_H
#endif

#include "engine/gemm.h"
#include "engine/winograd.h"
#include "engine/winograd_matrices-inl.h"

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

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

/// Map·columns, kept in memory.
template <class Map>
struct HalfWay {
  Vec8 rows[Map::kTo][Map::kFrom];
  HWY_INLINE void set_column(int j, const Vec8 (&column)[Map::kFrom]) {
    Vec8 image[Map::kTo];
    Map::apply(column, image);
    ARKS_UNROLL
    for (int i = 0; i < Map::kTo; ++i) rows[i][j] = image[i];
  }
};

/// Two rows of Map·tile·Mapᵀ, and the pairs behind them: all rows at once would not fit into registers, and what a pair
/// does not need is never computed.
template <class Map, int pair, int64_t stride>
HWY_INLINE void read_pairs(const float* const (&rows)[Map::kFrom], float* to) {
  constexpr Pair rows_of = Map::kPairs[pair];
  Vec8 first[Map::kFrom], second[Map::kFrom], image[Map::kTo];
  ARKS_UNROLL
  for (int j = 0; j < Map::kFrom; ++j) {
    Vec8 column[Map::kFrom];
    ARKS_UNROLL
    for (int i = 0; i < Map::kFrom; ++i) column[i] = load8(rows[i] + j * kBlock);
    Map::apply(column, image);
    first[j] = image[rows_of.first];
    second[j] = image[rows_of.second];
  }
  Map::apply(first, image);
  ARKS_UNROLL
  for (int j = 0; j < Map::kTo; ++j) store8(image[j], to + (rows_of.first * Map::kTo + j) * stride);
  Map::apply(second, image);
  ARKS_UNROLL
  for (int j = 0; j < Map::kTo; ++j) store8(image[j], to + (rows_of.second * Map::kTo + j) * stride);
  if constexpr (2 * (pair + 1) < Map::kTo) read_pairs<Map, pair + 1, stride>(rows, to);
}

/// The same through memory.
template <class Map, int64_t stride>
HWY_INLINE void read_rows(const float* const (&rows)[Map::kFrom], float* to) {
  HalfWay<Map> half;
  HWY_UNROLL(1)
  for (int j = 0; j < Map::kFrom; ++j) {
    Vec8 column[Map::kFrom];
    ARKS_UNROLL
    for (int i = 0; i < Map::kFrom; ++i) column[i] = load8(rows[i] + j * kBlock);
    half.set_column(j, column);
  }
  HWY_UNROLL(1)
  for (int i = 0; i < Map::kTo; ++i) {
    Vec8 image[Map::kTo];
    Map::apply(half.rows[i], image);
    ARKS_UNROLL
    for (int j = 0; j < Map::kTo; ++j) store8(image[j], to + (i * Map::kTo + j) * stride);
  }
}

/// Reads a tile [n,n] of eight channels, and writes Map·tile·Mapᵀ, entry f at to[f·stride]. `zeros` are as many as the
/// map's rows are wide.
template <class Map, int64_t stride>
HWY_NOINLINE void read_tile(const float* plane, int64_t width, const float* zeros, const Tile& tile, float* to) {
  const float* rows[Map::kFrom];
  alignas(64) float filled[Map::kFrom * Map::kFrom * kBlock];
  const bool whole = tile.columns_begin == 0 && tile.columns_end == Map::kFrom;
  for (int i = 0; i < Map::kFrom; ++i) {
    const bool inside = i >= tile.rows_begin && i < tile.rows_end;
    rows[i] = (inside ? plane + (tile.row + i) * width * kBlock : zeros) + tile.column * kBlock;
  }
  if (!whole) {
    for (int i = 0; i < Map::kFrom; ++i) {
      for (int j = 0; j < Map::kFrom; ++j) {
        const bool inside = j >= tile.columns_begin && j < tile.columns_end;
        store8(inside ? load8(rows[i] + j * kBlock) : zero8(), filled + (i * Map::kFrom + j) * kBlock);
      }
      rows[i] = filled + i * Map::kFrom * kBlock;
    }
  }
  if constexpr (Map::kPaired) {
    read_pairs<Map, 0, stride>(rows, to);
  } else {
    read_rows<Map, stride>(rows, to);
  }
}

/// Transforms the blocks begin … end of `count` tiles to [panel][f][group][16], panels of 16 channels.
template <class Map, int64_t group>
HWY_INLINE void gather(const FeatureMap& map, const Tile* tiles, int64_t count, const float* x, int64_t begin,
                       int64_t end, const float* zeros, float* to) {
  constexpr int64_t stride = winograd_stride(group);
  for (int64_t panel = begin; panel < end; panel += 2, to += Map::kTo * Map::kTo * stride) {
    for (int64_t t = 0; t < count; ++t) {
      const float* plane = x + tiles[t].image * map.size() + panel * map.plane() * kBlock;
      read_tile<Map, stride>(plane, map.width, zeros, tiles[t], to + t * kPanel);
      if (panel + 1 == end) continue;
      read_tile<Map, stride>(plane + map.plane() * kBlock, map.width, zeros, tiles[t], to + t * kPanel + kBlock);
    }
  }
}

/// Column j of the entries; the bias is added where the points of both directions are 1: from there the transform
/// carries it to all of the tile as it is.
template <class Map, int64_t stride>
HWY_INLINE void load_column(const float* from, int j, const Vec8& bias, Vec8 (&column)[Map::kFrom]) {
  ARKS_UNROLL
  for (int i = 0; i < Map::kFrom; ++i) column[i] = load8(from + (i * Map::kFrom + j) * stride);
  if (j == 1) column[1] = column[1] + bias;
}

template <class Map, bool add>
HWY_INLINE void write_row(const Vec8 (&row)[Map::kFrom], float* to) {
  Vec8 image[Map::kTo];
  Map::apply(row, image);
  ARKS_UNROLL
  for (int j = 0; j < Map::kTo; ++j) store8(add ? load8(to + j * kBlock) + image[j] : image[j], to + j * kBlock);
}

/// Two rows of Map·entries·Mapᵀ to a tile that begins at `to`, or added; and the pairs behind them.
template <class Map, int pair, bool add, int64_t stride>
HWY_INLINE void write_pairs(const float* from, const Vec8& bias, float* to, int64_t row_stride) {
  constexpr Pair rows_of = Map::kPairs[pair];
  Vec8 first[Map::kFrom], second[Map::kFrom];
  ARKS_UNROLL
  for (int j = 0; j < Map::kFrom; ++j) {
    Vec8 column[Map::kFrom], image[Map::kTo];
    load_column<Map, stride>(from, j, bias, column);
    Map::apply(column, image);
    first[j] = image[rows_of.first];
    second[j] = image[rows_of.second];
  }
  write_row<Map, add>(first, to + rows_of.first * row_stride);
  write_row<Map, add>(second, to + rows_of.second * row_stride);
  if constexpr (2 * (pair + 1) < Map::kTo) write_pairs<Map, pair + 1, add, stride>(from, bias, to, row_stride);
}

/// The same through memory.
template <class Map, bool add, int64_t stride>
HWY_INLINE void write_rows(const float* from, const Vec8& bias, float* to, int64_t row_stride) {
  HalfWay<Map> half;
  HWY_UNROLL(1)
  for (int j = 0; j < Map::kFrom; ++j) {
    Vec8 column[Map::kFrom];
    load_column<Map, stride>(from, j, bias, column);
    half.set_column(j, column);
  }
  HWY_UNROLL(1)
  for (int i = 0; i < Map::kTo; ++i) write_row<Map, add>(half.rows[i], to + i * row_stride);
}

/// Reads entry f at from[f·stride] and writes Map·entries·Mapᵀ + bias to a tile of the map, or adds it. What lies
/// outside the map is dropped.
template <class Map, bool add, int64_t stride>
HWY_NOINLINE void write_tile(const float* from, const float* bias, float* plane, int64_t width, const Tile& tile) {
  constexpr int64_t n = Map::kTo;
  alignas(64) float filled[n * n * kBlock];
  const bool whole = tile.rows_begin == 0 && tile.columns_begin == 0 && tile.rows_end == n && tile.columns_end == n;
  float* inside = plane + (tile.row * width + tile.column) * kBlock;
  if (add && !whole) {
    for (int64_t i = 0; i < n * n; ++i) store8(zero8(), filled + i * kBlock);
  }
  const Vec8 constant = bias ? load8(bias) : zero8();
  float* to = whole ? inside : filled;
  const int64_t row_stride = (whole ? width : n) * kBlock;
  if constexpr (Map::kPaired) {
    write_pairs<Map, 0, add, stride>(from, constant, to, row_stride);
  } else {
    write_rows<Map, add, stride>(from, constant, to, row_stride);
  }
  if (whole) return;
  for (int64_t i = tile.rows_begin; i < tile.rows_end; ++i) {
    for (int64_t j = tile.columns_begin; j < tile.columns_end; ++j) {
      float* place = inside + (i * width + j) * kBlock;
      const Vec8 value = load8(filled + (i * n + j) * kBlock);
      store8(add ? load8(place) + value : value, place);
    }
  }
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
