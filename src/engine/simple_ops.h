#pragma once
#include "engine/op.h"
#include "engine/pooling.h"

#include <arks/model/layers.h>

namespace arks::engine {

/// y = f(x), n numbers to a sample.
OpPtr make_activation(const Activation& activation, size_t input, size_t output);

/// y = f(a + b).
OpPtr make_sum(const Activation& activation, size_t a, size_t b, size_t output);

/// y = f(largest of each window); `winner` as in make_convolution.
OpPtr make_max_pool(const Pooling& pooling, const FeatureMap& in, const Activation& activation, size_t input,
                    size_t output, size_t winner);

OpPtr make_average_pool(const Pooling& pooling, const FeatureMap& in, size_t input, size_t output);

/// Batch norm with fixed statistics where there is no convolution to fold it into; of a blocked map, or of a plain
/// image.
OpPtr make_fixed_norm(const BatchNorm& layer, const FeatureMap& map, bool plain, size_t input, size_t output);

/// From a plain image, [channels][h][w], to a blocked map.
OpPtr make_blocked(const FeatureMap& map, size_t input, size_t output);

}  // namespace arks::engine
