// What the kernels of FewChannels share, for every target.
#if defined(ARKS_ENGINE_FEW_CHANNELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARKS_ENGINE_FEW_CHANNELS_INL_H
#undef ARKS_ENGINE_FEW_CHANNELS_INL_H
#else
#define ARKS_ENGINE_FEW_CHANNELS_INL_H
#endif

#include "engine/few_channels.h"
#include "engine/gemm-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace arks::engine::HWY_NAMESPACE {

/// The image with its zeros around it, [channels][padded h][padded w]; x itself where there are none.
inline const float* pad_image(const FewChannels::Shape& shape, const float* x, float* to) {
  const int64_t above = shape.window.padding[0], beside = shape.window.padding[1];
  if (above == 0 && beside == 0) return x;
  const int64_t width = shape.padded_width();
  for (int64_t channel = 0; channel < shape.channels; ++channel) {
    float* row = to + channel * shape.padded_plane();
    std::fill_n(row, above * width, 0.0f);
    row += above * width;
    for (int64_t i = 0; i < shape.height; ++i, row += width, x += shape.width) {
      std::fill_n(row, beside, 0.0f);
      std::copy_n(x, shape.width, row + beside);
      std::fill_n(row + beside + shape.width, beside, 0.0f);
    }
    std::fill_n(row, above * width, 0.0f);
  }
  return to;
}

}  // namespace arks::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
