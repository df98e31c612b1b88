#pragma once
// Small networks in float64 with random weights, put together by hand.
#include "support/testing.h"

#include <arks/model/graph.h>

namespace arks::testing {

using Shape = std::vector<int64_t>;

inline torch::Tensor sample(Shape shape, uint64_t seed, double scale = 1) {
  shape.insert(shape.begin(), 1);
  return scale * normal(shape, seed);
}

inline Dense dense(int64_t in, int64_t out, uint64_t seed, double scale = 1) {
  return {scale * normal({out, in}, seed), normal({out}, seed + 1000)};
}

inline Convolution convolution(int64_t in, int64_t out, int64_t kernel, uint64_t seed, double scale = 1) {
  Convolution layer{scale * normal({out, in, kernel, kernel}, seed), normal({out}, seed + 1000)};
  layer.padding = {1, 1};
  return layer;
}

inline BatchNorm batch_norm(int64_t channels, uint64_t seed) {
  return {normal({channels}, seed), normal({channels}, seed + 1).square() + 0.2, normal({channels}, seed + 2),
          normal({channels}, seed + 3), 1e-3};
}

/// `graph` behind which two branches are added.
inline Graph with_sum(Graph graph, const Graph& main, const Graph& shortcut) {
  const size_t at = graph.output;
  const size_t a = graph.append(main, at), b = graph.append(shortcut, at);
  graph.add(Sum{}, {a, b});
  return graph;
}

/// `graph` behind which branches lie side by side.
inline Graph with_concatenation(Graph graph, const std::vector<Graph>& branches) {
  const size_t at = graph.output;
  std::vector<size_t> values;
  for (const auto& branch : branches) values.push_back(graph.append(branch, at));
  graph.add(Concatenation{}, values);
  return graph;
}

inline Graph followed_by(Graph graph, std::initializer_list<Operation> chain) {
  graph.append(chain, graph.output);
  return graph;
}

}  // namespace arks::testing
