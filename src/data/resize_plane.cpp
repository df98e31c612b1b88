#include "resize_plane.h"

#include <algorithm>
#include <cmath>

namespace arks {

PlaneResizer::PlaneResizer(ImageSize from, ImageSize to)
    : from_(from), rows_(taps(from.height, to.height)), columns_(taps(from.width, to.width)) {}

std::vector<PlaneResizer::Tap> PlaneResizer::taps(int64_t in, int64_t out) {
  std::vector<Tap> found;
  for (int64_t i = 0; i < out; ++i) {
    // 2·out times the coordinate in the source, so that it stays a whole number
    const int64_t place = std::max<int64_t>(0, (2 * i + 1) * in - out);
    const int64_t lower = place / (2 * out), beyond = place % (2 * out);
    found.push_back(
        {lower, std::min(lower + 1, in - 1), static_cast<double>(2 * out - beyond), static_cast<double>(beyond)});
  }
  return found;
}

void PlaneResizer::operator()(const Plane& plane, uint8_t* to) const {
  // All sums are whole numbers below 2^42, exact in double, and so is the comparison of their quotient with a half.
  const double denominator = 4.0 * static_cast<double>(rows_.size()) * static_cast<double>(columns_.size());
  for (const auto& row : rows_) {
    const uint8_t* const upper = plane.first + row.first * plane.row_step;
    const uint8_t* const lower = plane.first + row.second * plane.row_step;
    for (const auto& column : columns_) {
      const int64_t left = column.first * plane.pixel_step, right = column.second * plane.pixel_step;
      const double sum = row.first_weight * (column.first_weight * upper[left] + column.second_weight * upper[right]) +
                         row.second_weight * (column.first_weight * lower[left] + column.second_weight * lower[right]);
      *to++ = static_cast<uint8_t>(std::lrint(sum / denominator));
    }
  }
}

}  // namespace arks
