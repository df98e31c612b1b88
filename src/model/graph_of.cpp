#include "layer_words.h"
#include "support/modes_guard.h"

#include <arks/model/graph.h>
#include <arks/model/model.h>
#include <arks/support/error.h>
#include <arks/support/random.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include <cmath>
#include <optional>
#include <typeinfo>

namespace arks {

namespace {

namespace nn = torch::nn;

/// The module if it is of exactly this class: one derived from it may compute something else.
template <typename Impl>
const Impl* exactly(const nn::Module& module) {
  return typeid(module) == typeid(Impl) ? dynamic_cast<const Impl*>(&module) : nullptr;
}

Extent zero_padding(const nn::Conv2dImpl& conv, const std::string& name) {
  const auto& options = conv.options;
  ARKS_CHECK(c10::get_if<torch::enumtype::kZeros>(&options.padding_mode()), name,
             ": only zero padding of a convolution is supported");
  if (const auto* given = c10::get_if<torch::ExpandingArray<2>>(&options.padding())) return **given;
  if (c10::get_if<torch::enumtype::kValid>(&options.padding())) return {0, 0};
  Extent padding;
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t both = (*options.dilation())[axis] * ((*options.kernel_size())[axis] - 1);
    ARKS_CHECK(both % 2 == 0, name, ": padding 'same' is supported only where both sides get the same padding");
    padding[axis] = both / 2;
  }
  return padding;
}

Operation convolution(const nn::Conv2dImpl& conv, const std::string& name) {
  Convolution layer{conv.weight, conv.bias};
  layer.stride = *conv.options.stride();
  layer.padding = zero_padding(conv, name);
  layer.dilation = *conv.options.dilation();
  layer.groups = conv.options.groups();
  return layer;
}

Operation max_pool(const nn::MaxPool2dImpl& pool, const std::string& name) {
  const auto& options = pool.options;
  ARKS_CHECK(!options.ceil_mode() && (*options.dilation() == Extent{1, 1}), name, not_known::kMaxPooling);
  return MaxPool{*options.kernel_size(), *options.stride(), *options.padding()};
}

Operation average_pool(const nn::AvgPool2dImpl& pool, const std::string& name) {
  const auto& options = pool.options;
  ARKS_CHECK(!options.ceil_mode() && !options.divisor_override() &&
                 (options.count_include_pad() || (*options.padding() == Extent{0, 0})),
             name, not_known::kAveragePooling);
  return AveragePool{*options.kernel_size(), *options.stride(), *options.padding()};
}

template <typename Impl>
std::optional<Operation> batch_norm(const nn::Module& module, const std::string& name) {
  const auto* norm = exactly<Impl>(module);
  if (!norm) return std::nullopt;
  ARKS_CHECK(norm->running_mean.defined(), name, not_known::kBatchNorm);
  BatchNorm layer{norm->running_mean, norm->running_var, norm->weight, norm->bias, norm->options.eps()};
  layer.learns = true;
  if (norm->options.momentum()) layer.momentum = *norm->options.momentum();
  layer.batches_tracked = norm->num_batches_tracked;
  return layer;
}

std::optional<Operation> single(const nn::Module& module, const std::string& name) {
  if (const auto* dense = exactly<nn::LinearImpl>(module)) return Dense{dense->weight, dense->bias};
  if (const auto* conv = exactly<nn::Conv2dImpl>(module)) return convolution(*conv, name);
  if (const auto* pool = exactly<nn::MaxPool2dImpl>(module)) return max_pool(*pool, name);
  if (const auto* pool = exactly<nn::AvgPool2dImpl>(module)) return average_pool(*pool, name);
  if (const auto* flatten = exactly<nn::FlattenImpl>(module)) {
    ARKS_CHECK(flatten->options.start_dim() == 1 && flatten->options.end_dim() == -1, name, not_known::kFlattening);
    return Flatten{};
  }
  if (auto layer = batch_norm<nn::BatchNorm1dImpl>(module, name)) return layer;
  if (auto layer = batch_norm<nn::BatchNorm2dImpl>(module, name)) return layer;
  if (const auto* elu = exactly<nn::ELUImpl>(module)) return Elu{elu->options.alpha()};
  if (exactly<nn::ReLUImpl>(module)) return Relu{};
  if (const auto* leaky = exactly<nn::LeakyReLUImpl>(module)) return LeakyRelu{leaky->options.negative_slope()};
  if (exactly<nn::TanhImpl>(module)) return Tanh{};
  if (exactly<nn::SigmoidImpl>(module)) return Sigmoid{};
  return std::nullopt;
}

bool is_dropout(const nn::Module& module) {
  return exactly<nn::DropoutImpl>(module) || exactly<nn::Dropout2dImpl>(module);
}

/// The module behind value `at`; returns what it gives.
size_t append(const nn::Module& module, const std::string& path, Graph& graph, size_t at) {
  if (const auto* source = dynamic_cast<const GraphSource*>(&module)) return graph.append(source->graph(), at, path);
  if (exactly<nn::SequentialImpl>(module)) {
    for (const auto& child : module.named_children()) {
      at = append(*child.value(), path.empty() ? child.key() : path + "." + child.key(), graph, at);
    }
    return at;
  }
  const auto name = layer_called(module.name(), path);
  if (auto operation = single(module, name)) return graph.add(std::move(*operation), {at}, path);
  ARKS_CHECK(is_dropout(module) || exactly<nn::IdentityImpl>(module), name, " is not a layer that arks knows");
  return at;
}

}  // namespace

Graph graph_of(const torch::nn::Module& module) {
  Graph graph;
  graph.output = append(module, "", graph, 0);
  for (auto& node : graph.nodes) {
    for (const auto& weight : weights_of(node.operation)) *weight.tensor = weight.tensor->detach();
  }
  return graph;
}

Graph training_graph_of(const torch::nn::Module& module) {
  for (const auto& part : module.modules()) {
    ARKS_CHECK(!is_dropout(*part), part->name(), " draws random numbers in training mode");
    const auto* source = dynamic_cast<const GraphSource*>(part.get());
    ARKS_CHECK(source == nullptr || source->trains_as_graph(), part->name(),
               " does not say what it computes in training mode");
  }
  return graph_of(module);
}

Graph graph_of(const Model& model) {
  ARKS_CHECK(model.module(), "model ", model.architecture(),
             ": the layers of a function are not known; use a module of known layers");
  return graph_of(*model.module());
}

Graph graph_of(const Model& model, torch::IntArrayRef sample_shape) {
  auto graph = graph_of(model);
  shapes_of(graph, sample_shape);  // Error when the layers do not fit
  torch::NoGradGuard no_grad;
  const ModesGuard evaluation(model, /*training=*/false);
  std::vector<int64_t> shape{4};
  shape.insert(shape.end(), sample_shape.begin(), sample_shape.end());
  auto generator = make_generator(0, Stream::kSamples);
  const auto type = model.floating_type();
  const auto x = torch::randn(shape, generator, torch::TensorOptions(torch::kDouble)).to(type);
  const auto own = model(x.clone());  // it may overwrite what it is given
  const double size = own.abs().max().item<double>();
  if (!std::isfinite(size)) return graph;  // weights that are not finite are for those who look at them
  const double tolerance = (type == torch::kDouble ? 1e-6 : 1e-3) * (1 + size);
  bool same = false;
  try {
    const auto read = forward(graph, x);
    same = own.sizes() == read.sizes() && (own - read).abs().max().item<double>() <= tolerance;
  } catch (const c10::Error&) {  // a tensor of a layer has a shape that no such layer has
  }
  ARKS_CHECK(same, "model ", model.architecture(), ": its layers are not what its forward computes");
  return graph;
}

}  // namespace arks
