#pragma once
#include <arks/data/image_files.h>

namespace arks {

/// Bilinear interpolation of an image, uint8 [c,h,w] → uint8 [c,size.height,size.width]:
///   value(i) = (1−λ)·x[k] + λ·x[k+1],   k + λ = max(0, (i + ½)·in/out − ½),   x[in] = x[in−1],
/// along both axes, then rounded to the nearest whole number, halves to the even one as torch::round does. Equal to
/// torch.nn.functional.interpolate(mode="bilinear", align_corners=False), which has no antialias: making an image much
/// smaller skips pixels. Computed without rounding errors, so that a half is a half.
torch::Tensor resize_bilinear(const torch::Tensor& image, ImageSize size);

}  // namespace arks
