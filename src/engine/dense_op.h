#pragma once
#include "engine/activation.h"
#include "engine/op.h"

#include <arks/model/graph.h>

#include <vector>

namespace arks::engine {

/// y = f(x·weightᵀ + bias). The numbers of x may lie in another order than torch's, as those of a flattened map do:
/// order[p] is torch's number of the feature at place p, −1 for one that only pads.
struct DenseSettings {
  Dense layer;
  Activation activation;
  std::vector<int64_t> order;
};

/// `kept` is a value of the size of the output: the gradient of the output is kept there for all images of a batch, so
/// that the gradient of the weights is one large product and not many small ones.
OpPtr make_dense(const DenseSettings& settings, size_t input, size_t output, size_t kept);

}  // namespace arks::engine
