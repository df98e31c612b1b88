#include "setting.h"
#include "data/registry.h"

#include <arks/model/registry.h>
#include <arks/support/random.h>

namespace arks::bench {

namespace {

std::vector<int64_t> shape_of(const Setting& setting, int64_t samples) {
  auto shape = setting.image_shape;
  shape.insert(shape.begin(), samples);
  return shape;
}

}  // namespace

const std::vector<std::string>& image_sets() {
  static const std::vector<std::string> sets{"fashion-mnist", "cifar10", "celeba"};
  return sets;
}

Setting setting_for(const std::string& data) {
  const auto& entry = find_dataset(data);
  return {data, entry.published, entry.image_shape, entry.num_classes};
}

DatasetInfo info_of(const Setting& setting) {
  DatasetInfo info;
  info.name = setting.data;
  info.input_shape = setting.image_shape;
  info.num_classes = setting.classes;
  info.bounds = Bounds(0, 1);
  return info;
}

Model fresh_model(const Setting& setting, torch::ScalarType type) {
  const auto model = make_model(setting.published.model, info_of(setting), ModelOptions(0));
  model.module()->to(type);
  return model;
}

AscentOptions ascent_of(const Setting& setting, InnerMode mode, InnerReturn returned) {
  return AscentOptions()
      .rule(parse_ascent_rule(setting.published.inner_optimizer))
      .steps(setting.published.inner_steps)
      .learning_rate(setting.published.sigma_inner_rate)
      .mode(mode)
      .returned(returned);
}

OptimizerOptions optimizer_of(const Setting& setting) {
  return OptimizerOptions()
      .kind(parse_optimizer(setting.published.optimizer))
      .learning_rate(setting.published.learning_rate)
      .momentum(setting.published.momentum)
      .weight_decay(setting.published.weight_decay);
}

Batch random_batch(const Setting& setting, int64_t samples, torch::ScalarType type) {
  auto generator = make_generator(0, Stream::kShuffle);
  const auto inputs = torch::empty(shape_of(setting, samples)).uniform_(0, 1, generator).to(type);
  return {inputs, torch::empty({samples}, torch::kLong).random_(0, setting.classes, generator)};
}

DatasetPtr random_set(const Setting& setting, int64_t samples, torch::ScalarType type) {
  const auto batch = random_batch(setting, samples, type == torch::kByte ? torch::kFloat : type);
  const auto inputs = type == torch::kByte ? batch.inputs.mul(255).to(torch::kByte) : batch.inputs;
  return std::make_shared<TensorDataset>(inputs, batch.targets, info_of(setting));
}

}  // namespace arks::bench
