#pragma once
#include "engine/activation.h"
#include "engine/feature_map.h"

namespace arks::engine {

/// Loops over one image of a blocked map with numbers per channel, [blocks(channels)·8] each, zero for channels that
/// only pad.

/// Mean of every channel, and the sum of squared distances from it: taken about the mean, so nothing cancels.
void channel_moments(const FeatureMap& map, const float* x, float* mean, float* squares);

/// y = f(scale·x + shift + rest); rest may be null.
void scale_shift(const FeatureMap& map, const float* scale, const float* shift, const Activation& f, const float* x,
                 const float* rest, float* y);

/// Behind y = f(scale·x + shift + rest): dy ← dy·f'(y) in place, and for every channel the sums of that and of that
/// times x − centre.
void scale_shift_backward(const FeatureMap& map, const float* centre, const Activation& f, const float* y,
                          const float* x, float* dy, float* sum, float* sum_product);

/// dx = by_dy·dy + by_x·x + constant.
void combine(const FeatureMap& map, const float* by_dy, const float* by_x, const float* constant, const float* dy,
             const float* x, float* dx);

}  // namespace arks::engine
