#include <arks/model/registry.h>

#include "support/text.h"

#include <arks/model/celeba_cnn.h>
#include <arks/model/cnn.h>
#include <arks/model/fashion_cnn.h>
#include <arks/model/linear.h>
#include <arks/model/mlp.h>
#include <arks/model/resnet20.h>
#include <arks/support/error.h>

#include <algorithm>
#include <iterator>

namespace arks {

namespace {

/// A network for vectors was made for the numbers that there are; one for images has a shape of its own.
void check_inputs(const Model& model, const DatasetInfo& data) {
  const auto& expected = dynamic_cast<const GraphModule&>(*model.module()).sample_shape();
  ARKS_CHECK(expected.size() == 1 || data.input_shape == expected, model.architecture(), " takes inputs of shape [",
             c10::Join(", ", expected), "], ", data.name, " has [", c10::Join(", ", data.input_shape), "]");
}

template <typename Options, typename = void>
constexpr bool has_activation = false;
template <typename Options>
constexpr bool has_activation<Options, std::void_t<decltype(std::declval<Options>().activation())>> = true;

/// With what was chosen: the seed, and the activation instead of the network's own.
template <typename Network, typename Options>
Model made(Options network, const ModelOptions& chosen) {
  if constexpr (has_activation<Options>) {
    if (!chosen.activation().empty()) network.activation(parse_activation(chosen.activation()));
  }
  return Network(network.seed(chosen.seed()));
}

template <typename Network, typename Options>
Model for_images(const DatasetInfo& data, const ModelOptions& chosen) {
  ARKS_CHECK(data.num_classes > 0, "networks for images predict classes, but ", data.name,
             " is a regression; cnn, mlp and linear predict numbers");
  return made<Network>(Options().num_classes(data.num_classes), chosen);
}

/// For the numbers of a sample.
template <typename Network, typename Options>
Model for_vectors(const DatasetInfo& data, const ModelOptions& chosen) {
  return made<Network>(Options(c10::multiply_integers(data.input_shape), num_outputs(data)), chosen);
}

Model for_any_images(const DatasetInfo& data, const ModelOptions& chosen) {
  CnnOptions options(data.input_shape, num_outputs(data));
  if (chosen.width() > 0) options.width(chosen.width());
  return made<Cnn>(options.batch_norm(chosen.batch_norm()), chosen);
}

struct Entry {
  const char* name;
  bool offers_activations;
  Model (*make)(const DatasetInfo& data, const ModelOptions& chosen);
};

// one entry for each network
constexpr Entry kModels[] = {
    {"celeba-cnn", has_activation<CelebaCnnOptions>, for_images<CelebaCnn, CelebaCnnOptions>},
    {"cnn", has_activation<CnnOptions>, for_any_images},
    {"fashion-cnn", has_activation<FashionCnnOptions>, for_images<FashionCnn, FashionCnnOptions>},
    {"linear", has_activation<LinearModelOptions>, for_vectors<LinearModel, LinearModelOptions>},
    {"mlp", has_activation<MlpOptions>, for_vectors<Mlp, MlpOptions>},
    {"resnet20", has_activation<ResNet20Options>, for_images<ResNet20, ResNet20Options>},
};

std::vector<std::string> names_of_models(bool with_activations) {
  std::vector<std::string> names;
  for (const auto& entry : kModels) {
    if (entry.offers_activations || !with_activations) names.emplace_back(entry.name);
  }
  return names;
}

}  // namespace

Model make_model(const std::string& name, const DatasetInfo& data, const ModelOptions& options) {
  const auto& entry = kModels[place_of(name, model_names(), "model")];
  ARKS_CHECK(options.activation().empty() || entry.offers_activations, "activation ", options.activation(), ": ", name,
             " has a fixed activation or none; it can be chosen for ",
             join(names_of_models(/*with_activations=*/true)));
  const bool sized = options.width() != 0 || options.batch_norm();
  ARKS_CHECK(!sized || fits_any_images(name), "width and batch norm can be chosen for cnn, not for ", name);
  const auto model = entry.make(data, options).named(name);
  check_inputs(model, data);
  return model;
}

bool fits_any_images(const std::string& name) {
  return std::any_of(std::begin(kModels), std::end(kModels),
                     [&](const Entry& entry) { return entry.name == name && entry.make == for_any_images; });
}

std::vector<std::string> model_names() {
  return names_of_models(/*with_activations=*/false);
}

}  // namespace arks
