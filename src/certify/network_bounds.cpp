#include "certify/network_bounds.h"

#include "certify/convolution_norm.h"
#include "numbers.h"

#include <arks/support/error.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

/// Of one layer, in the terms in which layers are composed.
struct Constants {
  double lipschitz = 1;
  std::optional<double> smoothness = 0;  // of an elementwise layer: Lipschitz constant of the slope
  bool elementwise = false;
  std::optional<double> row;   // largest change of one output over the L2 length of the step
  std::optional<double> peak;  // largest change of one output over the largest change of an input
};

torch::Tensor exact(const torch::Tensor& weight, const std::string& name) {
  const auto values = weight.detach().to(torch::kDouble);
  ARKS_CHECK(values.isfinite().all().item<bool>(), name, ": a weight is not finite");
  return values;
}

Constants linear(double norm, double row) {
  Constants constants;
  constants.lipschitz = norm;
  constants.row = rounded_up(row);
  return constants;
}

Constants elementwise(double slope, std::optional<double> slope_lipschitz) {
  Constants constants;
  constants.lipschitz = slope;
  constants.smoothness = slope_lipschitz;
  constants.elementwise = true;
  constants.peak = slope;
  return constants;
}

Constants constants_of(const Dense& layer, torch::IntArrayRef /*in*/) {
  const auto weight = exact(layer.weight, describe(layer));
  return linear(rounded_up(torch::linalg_svdvals(weight).max().item<double>()), weight.norm(2, 1).max().item<double>());
}

Constants constants_of(const Convolution& layer, torch::IntArrayRef in) {
  const auto weight = exact(layer.weight, describe(layer));
  return linear(convolution_norm(layer, in), weight.flatten(1).norm(2, 1).max().item<double>());
}

Constants constants_of(const AveragePool& layer, torch::IntArrayRef in) {
  // every channel by itself: the norm is that of one
  const double area = static_cast<double>(layer.kernel[0] * layer.kernel[1]);
  Convolution mean{torch::full({1, 1, layer.kernel[0], layer.kernel[1]}, 1 / area, torch::kDouble), {}};
  mean.stride = layer.stride;
  mean.padding = layer.padding;
  auto constants = linear(convolution_norm(mean, {1, in[1], in[2]}), 1 / std::sqrt(area));
  constants.peak = 1;
  return constants;
}

/// In how many windows a cell can be, along one axis of n cells.
int64_t sharing_windows(int64_t n, int64_t kernel, int64_t stride, int64_t padding) {
  int64_t most = 0;
  const int64_t windows = (n + 2 * padding - kernel) / stride + 1;
  for (int64_t cell = padding; cell < n + padding; ++cell) {
    const int64_t last = std::min(windows - 1, cell / stride);
    const int64_t first = cell < kernel ? 0 : (cell - kernel) / stride + 1;
    most = std::max(most, last - first + 1);
  }
  return most;
}

Constants constants_of(const MaxPool& layer, torch::IntArrayRef in) {
  int64_t sharing = 1;
  for (size_t axis = 0; axis < 2; ++axis) {
    sharing *= sharing_windows(in[axis + 1], layer.kernel[axis], layer.stride[axis], layer.padding[axis]);
  }
  Constants constants;
  constants.lipschitz = std::sqrt(static_cast<double>(sharing));
  constants.smoothness = std::nullopt;
  constants.peak = 1;
  return constants;
}

Constants constants_of(const BatchNorm& layer, torch::IntArrayRef /*in*/) {
  const auto name = describe(layer);
  const auto spread = (exact(layer.variance, name) + layer.eps).sqrt();
  const auto weight = layer.weight.defined() ? exact(layer.weight, name) : torch::ones_like(spread);
  const double scale = exact(weight / spread, name).abs().max().item<double>();
  return elementwise(rounded_up(scale), 0);
}

Constants constants_of(const Elu& layer, torch::IntArrayRef /*in*/) {
  return elementwise(std::max(1.0, std::abs(layer.alpha)), layer.alpha == 1 ? std::optional<double>(1) : std::nullopt);
}
Constants constants_of(const Relu& /*layer*/, torch::IntArrayRef /*in*/) {
  return elementwise(1, std::nullopt);
}
Constants constants_of(const LeakyRelu& layer, torch::IntArrayRef /*in*/) {
  return elementwise(std::max(1.0, std::abs(layer.slope)), std::nullopt);
}
Constants constants_of(const Tanh& /*layer*/, torch::IntArrayRef /*in*/) {
  return elementwise(1, rounded_up(4 / (3 * std::sqrt(3.0))));
}
Constants constants_of(const Sigmoid& /*layer*/, torch::IntArrayRef /*in*/) {
  return elementwise(0.25, rounded_up(1 / (6 * std::sqrt(3.0))));
}
Constants constants_of(const Flatten& /*layer*/, torch::IntArrayRef /*in*/) {
  return elementwise(1, 0);
}

template <typename Unknown>
Constants constants_of(const Unknown& operation, torch::IntArrayRef /*in*/) {
  throw Error(describe(operation) + ": its norm is not known");
}

/// What is proved of a value, as a function of the input of the network.
struct ValueBounds {
  double lipschitz = 1, coordinate = 1;
  std::optional<double> smoothness = 0;
};

/// An operation with these constants behind a value.
ValueBounds composed(const ValueBounds& before, const Constants& layer) {
  ValueBounds behind;
  behind.smoothness = std::nullopt;
  if (before.smoothness && layer.smoothness) {
    const double reach = layer.elementwise ? before.coordinate : before.lipschitz;
    behind.smoothness = *layer.smoothness * before.lipschitz * reach + layer.lipschitz * *before.smoothness;
  }
  behind.lipschitz = before.lipschitz * layer.lipschitz;
  behind.coordinate = behind.lipschitz;
  if (layer.row) behind.coordinate = std::min(behind.coordinate, *layer.row * before.lipschitz);
  if (layer.peak) behind.coordinate = std::min(behind.coordinate, *layer.peak * before.coordinate);
  return behind;
}

ValueBounds added(const ValueBounds& a, const ValueBounds& b) {
  ValueBounds sum{a.lipschitz + b.lipschitz, a.coordinate + b.coordinate, std::nullopt};
  sum.coordinate = std::min(sum.coordinate, sum.lipschitz);
  if (a.smoothness && b.smoothness) sum.smoothness = *a.smoothness + *b.smoothness;
  return sum;
}

/// Jacobians one above the other: ‖[A; B]‖² ≤ ‖A‖² + ‖B‖², and likewise of their differences.
ValueBounds stacked(const ValueBounds& a, const ValueBounds& b) {
  ValueBounds both{rounded_up(std::hypot(a.lipschitz, b.lipschitz)), std::max(a.coordinate, b.coordinate),
                   std::nullopt};
  if (a.smoothness && b.smoothness) both.smoothness = rounded_up(std::hypot(*a.smoothness, *b.smoothness));
  return both;
}

}  // namespace

NetworkBounds bound_network(const Graph& graph, torch::IntArrayRef input_shape) {
  const auto shapes = shapes_of(graph, input_shape);
  const auto readers = graph.readers();
  NetworkBounds network;
  std::vector<ValueBounds> values(graph.nodes.size() + 1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (readers[n + 1] == 0) continue;  // the output does not need it
    const auto& node = graph.nodes[n];
    const auto& first = values[node.reads[0]];
    LayerBounds by_itself{describe(node.operation), 1, 0};
    if (std::holds_alternative<Sum>(node.operation)) {
      values[n + 1] = added(first, values[node.reads[1]]);
    } else if (std::holds_alternative<Concatenation>(node.operation)) {
      auto all = first;
      for (size_t i = 1; i < node.reads.size(); ++i) all = stacked(all, values[node.reads[i]]);
      values[n + 1] = all;
    } else {
      const auto constants = std::visit(
          [&](const auto& operation) { return constants_of(operation, shapes[node.reads[0]]); }, node.operation);
      values[n + 1] = composed(first, constants);
      by_itself.lipschitz = constants.lipschitz;
      by_itself.smoothness = constants.smoothness;
    }
    network.layers.push_back(std::move(by_itself));
  }
  const auto& last = values[graph.output];
  network.lipschitz = last.lipschitz;
  network.coordinate_lipschitz = last.coordinate;
  network.smoothness = last.smoothness;
  network.output_shape = shapes[graph.output];
  return network;
}

}  // namespace arks
