#include <arks/model/fashion_cnn.h>
#include <arks/model/linear.h>
#include <arks/model/mlp.h>
#include <arks/model/registry.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

#include <functional>
#include <numeric>

namespace arks {

namespace {

Model make_fashion_cnn(const DatasetInfo& data, uint64_t seed) {
  const std::vector<int64_t> expected{1, 28, 28};
  ARKS_CHECK(data.input_shape == expected, "fashion-cnn takes inputs of shape [1, 28, 28], ", data.name, " has [",
             c10::Join(", ", data.input_shape), "]");
  return Model(FashionCnn(FashionCnnOptions().num_classes(data.num_classes).seed(seed)))
      .with_script(FashionCnnImpl::script());
}

int64_t inputs_of(const DatasetInfo& data) {
  return std::accumulate(data.input_shape.begin(), data.input_shape.end(), int64_t{1}, std::multiplies<>());
}

/// One for each class, or the one number of a regression.
int64_t outputs_for(const DatasetInfo& data) {
  return data.num_classes > 0 ? data.num_classes : 1;
}

Model make_linear(const DatasetInfo& data, uint64_t seed) {
  return Model(LinearModel(LinearModelOptions(inputs_of(data), outputs_for(data)).seed(seed)))
      .with_script(LinearModelImpl::script());
}

Model make_mlp(const DatasetInfo& data, uint64_t seed) {
  const Mlp net(MlpOptions(inputs_of(data), outputs_for(data)).seed(seed));
  return Model(net).with_script(net->script());
}

struct Entry {
  const char* name;
  Model (*make)(const DatasetInfo& data, uint64_t seed);
};

// one line for each network
constexpr Entry kModels[] = {
    {"fashion-cnn", make_fashion_cnn},
    {"linear", make_linear},
    {"mlp", make_mlp},
};

}  // namespace

Model make_model(const std::string& name, const DatasetInfo& data, uint64_t seed) {
  for (const auto& entry : kModels) {
    if (name == entry.name) return entry.make(data, seed).named(name);
  }
  throw Error("unknown model '" + name + "'" + did_you_mean(name, model_names()) + "; known: " + join(model_names()));
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : kModels) names.emplace_back(entry.name);
  return names;
}

}  // namespace arks
