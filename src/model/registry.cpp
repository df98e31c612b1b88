#include <arks/model/registry.h>

#include "support/text.h"

#include <arks/model/celeba_cnn.h>
#include <arks/model/fashion_cnn.h>
#include <arks/model/linear.h>
#include <arks/model/mlp.h>
#include <arks/model/resnet20.h>
#include <arks/support/error.h>

namespace arks {

namespace {

/// A network for vectors was made for the numbers that there are; one for images has a shape of its own.
void check_inputs(const Model& model, const DatasetInfo& data) {
  const auto& expected = dynamic_cast<const GraphModule&>(*model.module()).sample_shape();
  ARKS_CHECK(expected.size() == 1 || data.input_shape == expected, model.architecture(), " takes inputs of shape [",
             c10::Join(", ", expected), "], ", data.name, " has [", c10::Join(", ", data.input_shape), "]");
}

/// With the activation that was chosen, else the network's own.
template <typename Options>
Options activated(Options shape, const ModelOptions& options) {
  return options.activation().empty() ? shape : shape.activation(parse_activation(options.activation()));
}

/// Numbers of a sample; one output for each class, or the one number of a regression.
template <typename Options>
Options sized(const DatasetInfo& data) {
  return Options(c10::multiply_integers(data.input_shape), data.num_classes > 0 ? data.num_classes : 1);
}

struct Entry {
  const char* name;
  bool has_activation;  // one that can be chosen
  Model (*make)(const DatasetInfo& data, const ModelOptions& options);
};

// one entry for each network
constexpr Entry kModels[] = {
    {"celeba-cnn", true,
     [](const DatasetInfo& data, const ModelOptions& options) -> Model {
       return CelebaCnn(activated(CelebaCnnOptions().num_classes(data.num_classes).seed(options.seed()), options));
     }},
    {"fashion-cnn", false,
     [](const DatasetInfo& data, const ModelOptions& options) -> Model {
       return FashionCnn(FashionCnnOptions().num_classes(data.num_classes).seed(options.seed()));
     }},
    {"linear", false,
     [](const DatasetInfo& data, const ModelOptions& options) -> Model {
       return LinearModel(sized<LinearModelOptions>(data).seed(options.seed()));
     }},
    {"mlp", true,
     [](const DatasetInfo& data, const ModelOptions& options) -> Model {
       return Mlp(activated(sized<MlpOptions>(data).seed(options.seed()), options));
     }},
    {"resnet20", true,
     [](const DatasetInfo& data, const ModelOptions& options) -> Model {
       return ResNet20(activated(ResNet20Options().num_classes(data.num_classes).seed(options.seed()), options));
     }},
};

void check_activation(const Entry& entry, const ModelOptions& options) {
  if (options.activation().empty() || entry.has_activation) return;
  std::vector<std::string> names;
  for (const auto& other : kModels) {
    if (other.has_activation) names.emplace_back(other.name);
  }
  throw Error(c10::str("activation ", options.activation(), ": ", entry.name,
                       " has a fixed activation or none; it can be chosen for ", join(names)));
}

}  // namespace

Model make_model(const std::string& name, const DatasetInfo& data, const ModelOptions& options) {
  for (const auto& entry : kModels) {
    if (name != entry.name) continue;
    check_activation(entry, options);
    const auto model = entry.make(data, options).named(name);
    check_inputs(model, data);
    return model;
  }
  throw Error("unknown model '" + name + "'" + did_you_mean(name, model_names()) + "; known: " + join(model_names()));
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : kModels) names.emplace_back(entry.name);
  return names;
}

}  // namespace arks
