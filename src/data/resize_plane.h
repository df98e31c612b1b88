#pragma once
#include <arks/data/image_files.h>

#include <vector>

namespace arks {

/// One channel of an image, wherever its pixels lie: (y,x) is first[y·row_step + x·pixel_step].
struct Plane {
  const uint8_t* first;
  int64_t row_step, pixel_step;
};

/// Bilinear interpolation from one size to another:
///   value(i) = (1−λ)·x[k] + λ·x[k+1],   k + λ = max(0, (i + ½)·in/out − ½),   x[in] = x[in−1],
/// along both axes, then rounded to the nearest whole number, halves to the even one as torch::round does. Equal to
/// torch.nn.functional.interpolate(mode="bilinear", align_corners=False), which has no antialias: making an image much
/// smaller skips pixels. Computed without rounding errors, so that a half is a half. The weights are computed once for
/// many images. Uses nothing of torch: safe on any thread.
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
