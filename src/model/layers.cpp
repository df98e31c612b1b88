#include <arks/model/layers.h>
#include <arks/support/error.h>

namespace arks {

namespace {

torch::Tensor apply(const Dense& layer, const torch::Tensor& x) {
  return torch::linear(x, layer.weight, layer.bias);
}
torch::Tensor apply(const Convolution& layer, const torch::Tensor& x) {
  return torch::conv2d(x, layer.weight, layer.bias, layer.stride, layer.padding, layer.dilation, layer.groups);
}
torch::Tensor apply(const MaxPool& layer, const torch::Tensor& x) {
  return torch::max_pool2d(x, layer.kernel, layer.stride, layer.padding);
}
torch::Tensor apply(const AveragePool& layer, const torch::Tensor& x) {
  return torch::avg_pool2d(x, layer.kernel, layer.stride, layer.padding);
}
torch::Tensor apply(const Elu& layer, const torch::Tensor& x) {
  return torch::elu(x, layer.alpha);
}
torch::Tensor apply(const Relu& /*layer*/, const torch::Tensor& x) {
  return torch::relu(x);
}
torch::Tensor apply(const LeakyRelu& layer, const torch::Tensor& x) {
  return torch::leaky_relu(x, layer.slope);
}
torch::Tensor apply(const Tanh& /*layer*/, const torch::Tensor& x) {
  return torch::tanh(x);
}
torch::Tensor apply(const Sigmoid& /*layer*/, const torch::Tensor& x) {
  return torch::sigmoid(x);
}
torch::Tensor apply(const BatchNorm& layer, const torch::Tensor& x) {
  return torch::batch_norm(x, layer.weight, layer.bias, layer.mean, layer.variance, /*training=*/false,
                           /*momentum=*/0, layer.eps, /*cudnn_enabled=*/false);
}
torch::Tensor apply(const Flatten& /*layer*/, const torch::Tensor& x) {
  return x.flatten(1);
}
torch::Tensor apply(const Residual& layer, const torch::Tensor& x) {
  return forward(layer.main, x) + forward(layer.shortcut, x);
}

using Shape = std::vector<int64_t>;

std::string text(torch::IntArrayRef shape) {
  return c10::str("[", c10::Join(", ", shape), "]");
}

/// A window of this size that moves over h×w cells; `span` is how far a window reaches, dilation included.
Shape windows(const std::string& name, torch::IntArrayRef in, int64_t channels, const Extent& span,
              const Extent& stride, const Extent& padding) {
  Shape out{channels};
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t room = in[axis + 1] + 2 * padding[axis] - span[axis];
    ARKS_CHECK(room >= 0, name, ": inputs of shape ", text(in), " are smaller than the window");
    out.push_back(room / stride[axis] + 1);
  }
  return out;
}

void check_image(const std::string& name, torch::IntArrayRef in) {
  ARKS_CHECK(in.size() == 3, name, ": inputs must have shape [channels, height, width], got ", text(in));
}

Shape shape_behind(const Dense& layer, torch::IntArrayRef in) {
  ARKS_CHECK(!in.empty() && in.back() == layer.weight.size(1), describe(layer), ": inputs must have ",
             layer.weight.size(1), " numbers per sample, got shape ", text(in));
  auto out = in.vec();
  out.back() = layer.weight.size(0);
  return out;
}

Shape shape_behind(const Convolution& layer, torch::IntArrayRef in) {
  const auto name = describe(layer);
  check_image(name, in);
  const int64_t channels = layer.weight.size(1) * layer.groups;
  ARKS_CHECK(in[0] == channels, name, ": inputs must have ", channels, " channels, got shape ", text(in));
  Extent span;
  for (size_t axis = 0; axis < 2; ++axis) {
    span[axis] = layer.dilation[axis] * (layer.weight.size(static_cast<int64_t>(axis) + 2) - 1) + 1;
  }
  return windows(name, in, layer.weight.size(0), span, layer.stride, layer.padding);
}

template <typename Pool>
Shape shape_behind_pool(const Pool& layer, torch::IntArrayRef in) {
  check_image(describe(layer), in);
  return windows(describe(layer), in, in[0], layer.kernel, layer.stride, layer.padding);
}
Shape shape_behind(const MaxPool& layer, torch::IntArrayRef in) {
  return shape_behind_pool(layer, in);
}
Shape shape_behind(const AveragePool& layer, torch::IntArrayRef in) {
  return shape_behind_pool(layer, in);
}

Shape shape_behind(const BatchNorm& layer, torch::IntArrayRef in) {
  const int64_t channels = layer.mean.size(0);
  ARKS_CHECK(!in.empty() && in[0] == channels, describe(layer), ": inputs must have ", channels,
             " channels, got shape ", text(in));
  return in.vec();
}

Shape shape_behind(const Flatten& /*layer*/, torch::IntArrayRef in) {
  return {c10::multiply_integers(in)};
}

Shape shape_behind(const Layers& layers, torch::IntArrayRef in) {
  auto shape = in.vec();
  for (const auto& layer : layers) shape = output_shape(layer, shape);
  return shape;
}

Shape shape_behind(const Residual& layer, torch::IntArrayRef in) {
  const auto main = shape_behind(layer.main, in), shortcut = shape_behind(layer.shortcut, in);
  ARKS_CHECK(main == shortcut, "residual: the branches give different shapes, ", text(main), " and ", text(shortcut));
  return main;
}

template <typename Elementwise>
Shape shape_behind(const Elementwise& /*layer*/, torch::IntArrayRef in) {
  return in.vec();
}

std::string times(const Extent& extent) {
  return c10::str(extent[0], "×", extent[1]);
}

std::string words(const Dense& layer) {
  return c10::str("dense ", layer.weight.size(1), "→", layer.weight.size(0));
}
std::string words(const Convolution& layer) {
  return c10::str("conv ", layer.weight.size(2), "×", layer.weight.size(3), " ", layer.weight.size(1) * layer.groups,
                  "→", layer.weight.size(0));
}
std::string words(const MaxPool& layer) {
  return "max pool " + times(layer.kernel);
}
std::string words(const AveragePool& layer) {
  return "average pool " + times(layer.kernel);
}
std::string words(const Elu& layer) {
  return layer.alpha == 1 ? "ELU" : c10::str("ELU(", layer.alpha, ")");
}
std::string words(const Relu& /*layer*/) {
  return "ReLU";
}
std::string words(const LeakyRelu& layer) {
  return c10::str("leaky ReLU(", layer.slope, ")");
}
std::string words(const Tanh& /*layer*/) {
  return "tanh";
}
std::string words(const Sigmoid& /*layer*/) {
  return "sigmoid";
}
std::string words(const BatchNorm& layer) {
  return c10::str("batch norm ", layer.mean.size(0));
}
std::string words(const Flatten& /*layer*/) {
  return "flatten";
}
std::string words(const Residual& /*layer*/) {
  return "residual";
}

}  // namespace

torch::Tensor forward(const Layers& layers, const torch::Tensor& x) {
  auto h = x;
  for (const auto& layer : layers) {
    h = std::visit([&](const auto& kind) { return apply(kind, h); }, layer.kind);
  }
  return h;
}

std::vector<int64_t> output_shape(const Layer& layer, torch::IntArrayRef input_shape) {
  return std::visit([&](const auto& kind) { return shape_behind(kind, input_shape); }, layer.kind);
}

std::string describe(const Layer& layer) {
  return std::visit([](const auto& kind) { return words(kind); }, layer.kind);
}

}  // namespace arks
