#include "initialise.h"

#include <arks/model/mlp.h>
#include <arks/support/error.h>
#include <arks/support/random.h>

namespace arks {

namespace {

std::string layer_name(size_t i) {
  return "dense" + std::to_string(i + 1);
}

std::vector<int64_t> checked_widths(const MlpOptions& options) {
  ARKS_CHECK(options.inputs() > 0 && options.outputs() > 0, "mlp: inputs and outputs must be positive, got ",
             options.inputs(), " and ", options.outputs());
  std::vector<int64_t> widths{options.inputs()};
  for (const int64_t width : options.hidden()) {
    ARKS_CHECK(width > 0, "mlp: the width of a hidden layer must be positive, got ", width);
    widths.push_back(width);
  }
  widths.push_back(options.outputs());
  return widths;
}

}  // namespace

MlpImpl::MlpImpl(const MlpOptions& options) : torch::nn::Module("mlp"), activation_(options.activation()) {
  const auto widths = checked_widths(options);
  auto generator = make_generator(options.seed(), Stream::kInitialisation);
  for (size_t i = 0; i + 1 < widths.size(); ++i) {
    layers_.push_back(register_module(layer_name(i), torch::nn::Linear(widths[i], widths[i + 1])));
    initialise_xavier(layers_.back()->weight, generator);
    initialise_uniform(layers_.back()->bias, widths[i], generator);
  }
}

torch::Tensor MlpImpl::forward(const torch::Tensor& x) {
  auto h = x.flatten(1);
  ARKS_CHECK(h.size(1) == layers_.front()->weight.size(1), "mlp: inputs must have ", layers_.front()->weight.size(1),
             " numbers per sample, got ", h.size(1));
  for (size_t i = 0; i + 1 < layers_.size(); ++i) {
    h = activate_(activation_, layers_[i]->forward(h));
  }
  return layers_.back()->forward(h);
}

Layers MlpImpl::layers() const {
  Layers layers{Flatten{}};
  for (const auto& layer : layers_) {
    if (layers.size() > 1) layers.push_back(layer_of(activation_));
    layers.emplace_back(Dense{layer->weight.detach(), layer->bias.detach()});
  }
  return layers;
}

std::string MlpImpl::script() const {
  std::string text = "\ndef forward(self, x):\n    h = torch.flatten(x, 1)\n";
  for (size_t i = 0; i < layers_.size(); ++i) {
    const auto name = layer_name(i);
    const auto layer = "torch.linear(h, self." + name + ".weight, self." + name + ".bias)";
    text += i + 1 < layers_.size() ? "    h = " + script_of(activation_, layer) + "\n" : "    return " + layer + "\n";
  }
  return text;
}

}  // namespace arks
