#include <arks/model/graph_module.h>

#include "support/text.h"

#include <arks/support/error.h>
#include <arks/support/random.h>

#include <cmath>

namespace arks {

namespace {

/// The module of this path below `root`; made where it is not there yet.
std::shared_ptr<torch::nn::Module> module_at(torch::nn::Module& root, const std::string& path, const char* class_name) {
  std::shared_ptr<torch::nn::Module> at;
  const auto parts = split(path, '.');
  for (size_t i = 0; i < parts.size(); ++i) {
    auto& parent = at ? *at : root;
    const auto children = parent.named_children();
    const auto* known = children.find(parts[i]);
    const char* const made_of = i + 1 < parts.size() ? "Parts" : class_name;
    at = known != nullptr ? *known : parent.register_module(parts[i], std::make_shared<torch::nn::Module>(made_of));
  }
  return at;
}

}  // namespace

Dense new_dense(int64_t in, int64_t out) {
  return {torch::empty({out, in}), torch::empty({out})};
}

Convolution new_convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t padding, bool bias) {
  Convolution layer{torch::empty({out, in, kernel, kernel}), bias ? torch::empty({out}) : torch::Tensor()};
  layer.stride = {stride, stride};
  layer.padding = {padding, padding};
  return layer;
}

BatchNorm new_batch_norm(int64_t channels) {
  BatchNorm layer{torch::zeros({channels}), torch::ones({channels}), torch::ones({channels}), torch::zeros({channels})};
  layer.learns = true;
  layer.momentum = 0.1;
  layer.batches_tracked = torch::tensor(0, torch::kLong);
  return layer;
}

GraphModule::GraphModule(std::string name, std::vector<int64_t> sample_shape)
    : torch::nn::Module(std::move(name)), sample_shape_(std::move(sample_shape)) {}

size_t GraphModule::add(Operation operation, std::vector<size_t> reads, const std::string& name) {
  std::shared_ptr<torch::nn::Module> holder;
  const auto weights = weights_of(operation);
  ARKS_CHECK(weights.empty() || !name.empty(), describe(operation), ": weights need a name");
  // reinitialise knows a norm by its class
  if (!weights.empty())
    holder = module_at(*this, name, std::holds_alternative<BatchNorm>(operation) ? "Norm" : "Weights");
  for (const auto& weight : weights) {
    if (weight.trained) {
      holder->register_parameter(weight.name, *weight.tensor);
    } else {
      holder->register_buffer(weight.name, *weight.tensor);
    }
  }
  holders_.push_back(std::move(holder));
  return graph_.add(std::move(operation), std::move(reads), name);
}

void GraphModule::draw_weights(uint64_t seed, Rule rule) {
  torch::NoGradGuard no_grad;
  auto generator = make_generator(seed, Stream::kInitialisation);
  for (auto& node : graph_.nodes) {
    int64_t fan_in = 0;
    for (const auto& [name, tensor, trained] : weights_of(node.operation)) {
      if (tensor->dim() >= 2) {
        rule(*tensor, generator);
        fan_in = (*tensor)[0].numel();
      } else if (fan_in > 0) {
        draw_uniform(*tensor, fan_in, generator);
      }
    }
  }
}

torch::Tensor GraphModule::forward(const torch::Tensor& x) {
  const auto sample = x.dim() > 0 ? x.sizes().slice(1) : x.sizes();
  const bool vectors = sample_shape_.size() == 1;
  ARKS_CHECK(!vectors || c10::multiply_integers(sample) == sample_shape_[0], name(), ": inputs must have ",
             sample_shape_[0], " numbers per sample, got ", c10::multiply_integers(sample));
  ARKS_CHECK(vectors || (x.dim() > 0 && sample == sample_shape_), name(), ": inputs must have shape [n, ",
             c10::Join(", ", sample_shape_), "], got ", x.sizes());
  // One channel is the same bytes channels-last. With strides that say so libtorch keeps that layout throughout: no
  // reordering around the convolutions, and pooling is vectorised.
  const bool one_channel = !vectors && sample_shape_.size() == 3 && sample_shape_[0] == 1;
  const auto input = one_channel ? x.reshape({x.size(0), sample[1], sample[2], 1}).permute({0, 3, 1, 2}) : x;
  return arks::forward(graph_, input, [this](size_t node) { return holders_[node] && holders_[node]->is_training(); });
}

int64_t GraphModule::checked_classes(int64_t classes) const {
  ARKS_CHECK(classes >= 2, name(), ": num_classes must be at least 2, got ", classes);
  return classes;
}

void draw_uniform(torch::Tensor& tensor, int64_t fan_in, torch::Generator& generator) {
  torch::NoGradGuard no_grad;
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  tensor.uniform_(-bound, bound, generator);
}

void draw_published(torch::Tensor& weight, torch::Generator& generator) {
  if (weight.dim() > 2) {
    weight.normal_(0, 0.02, generator);
  } else {
    const double bound = std::sqrt(6.0 / static_cast<double>(weight.size(0) + weight.size(1)));
    weight.uniform_(-bound, bound, generator);
  }
}

void draw_kaiming(torch::Tensor& weight, torch::Generator& generator) {
  weight.normal_(0, std::sqrt(2.0 / static_cast<double>(weight[0].numel())), generator);
}

}  // namespace arks
