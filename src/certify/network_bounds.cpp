#include "rounding.h"

#include <arks/certify/convolution_norm.h>
#include <arks/certify/network_bounds.h>
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
  ARKS_CHECK(values.isfinite().all().item<bool>(), name, ": a weight is not finite, so there is no bound");
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

Constants constants_of(const Residual& layer, torch::IntArrayRef in) {
  const auto main = bound_network(layer.main, in), shortcut = bound_network(layer.shortcut, in);
  Constants sum;
  sum.lipschitz = main.lipschitz + shortcut.lipschitz;
  sum.row = main.coordinate_lipschitz + shortcut.coordinate_lipschitz;
  sum.smoothness = std::nullopt;
  if (main.smoothness && shortcut.smoothness) sum.smoothness = *main.smoothness + *shortcut.smoothness;
  return sum;
}

/// `network` followed by a layer with these constants.
void compose(NetworkBounds& network, const Constants& layer) {
  if (network.smoothness && layer.smoothness) {
    const double reach = layer.elementwise ? network.coordinate_lipschitz : network.lipschitz;
    network.smoothness = *layer.smoothness * network.lipschitz * reach + layer.lipschitz * *network.smoothness;
  } else {
    network.smoothness = std::nullopt;
  }
  const double before = network.lipschitz;
  network.lipschitz = before * layer.lipschitz;
  double coordinate = network.lipschitz;
  if (layer.row) coordinate = std::min(coordinate, *layer.row * before);
  if (layer.peak) coordinate = std::min(coordinate, *layer.peak * network.coordinate_lipschitz);
  network.coordinate_lipschitz = coordinate;
}

}  // namespace

NetworkBounds bound_network(const Layers& layers, torch::IntArrayRef input_shape) {
  NetworkBounds network;
  network.output_shape = input_shape.vec();
  for (const auto& layer : layers) {
    auto next = output_shape(layer, network.output_shape);
    const auto constants =
        std::visit([&](const auto& kind) { return constants_of(kind, network.output_shape); }, layer.kind);
    compose(network, constants);
    network.layers.push_back({describe(layer), constants.lipschitz, constants.smoothness});
    network.output_shape = std::move(next);
  }
  return network;
}

}  // namespace arks
