#pragma once
#include "engine/op.h"
#include "engine/pooling.h"

#include <arks/model/graph.h>

#include <vector>

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

/// Maps with these channels side by side, blocked as all of them are; `whole` is the map that comes out.
OpPtr make_concatenation(const std::vector<int64_t>& channels, const FeatureMap& whole,
                         const std::vector<size_t>& inputs, size_t output);

/// From a plain image, [channels][h][w], to a blocked map.
OpPtr make_blocked(const FeatureMap& map, size_t input, size_t output);

}  // namespace arks::engine
