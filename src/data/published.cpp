#include "data/published.h"

#include "data/registry.h"

#include <algorithm>
#include <optional>

namespace arks {

PublishedSettings published_for_images() {
  PublishedSettings settings;
  settings.model = "linear";
  settings.epochs = 45;
  settings.batch_size = 256;
  settings.optimizer = "amsgrad";
  settings.learning_rate = 1e-3;
  settings.inner_steps = 15;
  settings.inner_optimizer = "amsgrad";
  settings.sigma = 0.5;
  settings.sigma_inner_rate = 0.01;
  settings.gamma = 1.0;
  settings.gamma_inner_rate = 0.05;
  settings.eps = 0.3;
  settings.alpha = 0.001;
  settings.attack_steps = 15;
  settings.attack_alpha = 0.03;
  return settings;
}

PublishedSettings published_for_tables() {
  auto settings = published_for_images();
  settings.model = "mlp";
  settings.epochs = 2000;
  settings.batch_size = 256;
  settings.optimizer = "adam";
  settings.learning_rate = 1e-3;
  settings.average = true;
  settings.inner_steps = 10;
  settings.inner_optimizer = "lbfgs";
  settings.strengths = false;
  settings.sigma = settings.gamma = settings.eps = settings.alpha = 0;
  settings.sigma_inner_rate = settings.gamma_inner_rate = 1;
  settings.ball_steps = 10;
  return settings;
}

void take_ball_of_photographs(PublishedSettings& settings) {
  settings.ball_eps = 0.031;
  settings.ball_steps = 10;
  settings.ball_alpha = 0.007;
  settings.ball_beta = 6;
}

namespace {

/// The network of the paper that takes images of this shape, if there is one.
std::optional<std::string> network_for(const DatasetInfo& info) {
  if (info.num_classes == 0) return std::nullopt;
  for (const auto& entry : known_datasets()) {
    if (entry.image_shape == info.input_shape) return entry.published.model;
  }
  return std::nullopt;
}

bool is_known(const std::string& dataset) {
  const auto names = dataset_names();
  return std::find(names.begin(), names.end(), dataset) != names.end();
}

PublishedSettings published_for_own_images() {
  auto settings = published_for_images();
  settings.strengths = false;
  settings.sigma = settings.gamma = settings.eps = settings.alpha = 0;
  return settings;
}

PublishedSettings published_for_own_images(const DatasetInfo& info) {
  auto settings = published_for_own_images();
  const auto network = network_for(info);
  settings.model = network.value_or(settings.model);
  settings.none_fits = !network;
  if (info.input_shape[0] == 3) take_ball_of_photographs(settings);
  const double width = info.bounds ? info.bounds->high() - info.bounds->low() : 1;
  settings.sigma_inner_rate *= width;
  settings.gamma_inner_rate *= width;
  return settings;
}

}  // namespace

PublishedSettings published_settings(const std::string& dataset) {
  if (is_known(dataset)) return find_dataset(dataset).published;
  if (is_table(dataset)) return published_for_tables();
  return data_kind(dataset) == DataKind::kImages ? published_for_own_images() : published_for_images();
}

PublishedSettings published_settings(const std::string& dataset, const DatasetInfo& info) {
  return data_kind(dataset) == DataKind::kImages ? published_for_own_images(info) : published_settings(dataset);
}

PublishedSettings published_settings(const DatasetInfo& info) {
  if (is_known(info.name)) return find_dataset(info.name).published;
  return info.input_shape.size() < 2 ? published_for_tables() : published_for_own_images(info);
}

}  // namespace arks
