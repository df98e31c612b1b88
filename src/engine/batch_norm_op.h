#pragma once
#include "engine/activation.h"
#include "engine/op.h"

#include <arks/model/graph.h>

#include <optional>

namespace arks::engine {

/// Batch norm with the statistics of the batch (Ioffe and Szegedy 2015), y = f(γ(x − μ)/√(v + ε) + β + rest), where
/// rest may be missing. Mean and variance are merged from those of every image in float64 (Chan et al. 1983), so
/// nothing cancels. Back, with z = γ(x − μ)/√(v + ε) and N numbers to a channel:
///   ∂x = γ/√(v+ε)·(∂z − mean ∂z − (x−μ)/(v+ε)·mean ∂z(x−μ)).
struct BatchNormSettings {
  BatchNorm layer;
  Activation activation;
  FeatureMap map;
};

/// `statistics` and `gradient_statistics` are values of kStatistics·blocks(channels)·8 floats: what was measured of
/// every image, and in the row of the first image what was settled for all.
constexpr int64_t kStatistics = 6;
OpPtr make_batch_norm(const BatchNormSettings& settings, size_t input, std::optional<size_t> rest, size_t output,
                      size_t statistics, size_t gradient_statistics);

}  // namespace arks::engine
