#pragma once
#include <torch/types.h>

#include <cstdint>

namespace arks {

/// The longest side of an image, in pixels.
constexpr int64_t kMaxImageSide = 65535;

/// Of an image, in pixels.
struct ImageSize {
  int64_t height = 0, width = 0;
};

inline bool operator==(const ImageSize& a, const ImageSize& b) {
  return a.height == b.height && a.width == b.width;
}
inline bool operator!=(const ImageSize& a, const ImageSize& b) {
  return !(a == b);
}

/// Throws Error unless both sides are 1 … kMaxImageSide; `what` begins the message.
void check(const ImageSize& size, const char* what);

/// Bilinear interpolation of an image, uint8 [c,h,w] → uint8 [c,size.height,size.width]:
///   value(i) = (1−λ)·x[k] + λ·x[k+1],   k + λ = max(0, (i + ½)·in/out − ½),   x[in] = x[in−1],
/// along both axes, then rounded to the nearest whole number, halves to the even one as torch::round does. Equal to
/// torch.nn.functional.interpolate(mode="bilinear", align_corners=False), which has no antialias: making an image much
/// smaller skips pixels. Computed without rounding errors, so that a half is a half.
torch::Tensor resize_bilinear(const torch::Tensor& image, ImageSize size);

}  // namespace arks
