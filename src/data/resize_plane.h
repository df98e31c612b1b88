#pragma once
#include <arks/data/image_files.h>

#include <vector>

namespace arks {

/// One channel of an image, wherever its pixels lie: (y,x) is first[y·row_step + x·pixel_step].
struct Plane {
  const uint8_t* first;
  int64_t row_step, pixel_step;
};

/// resize_bilinear from one size to another; the weights are computed once for many images. Uses nothing of torch: safe
/// on any thread.
class PlaneResizer {
 public:
  PlaneResizer(ImageSize from, ImageSize to);

  const ImageSize& from() const { return from_; }

  /// to: [height,width] contiguous.
  void operator()(const Plane& plane, uint8_t* to) const;

 private:
  /// A value between two neighbours. Weights are whole numbers, out of 2·(output size).
  struct Tap {
    int64_t first, second;
    double first_weight, second_weight;
  };
  static std::vector<Tap> taps(int64_t in, int64_t out);

  ImageSize from_;
  std::vector<Tap> rows_, columns_;
};

}  // namespace arks
