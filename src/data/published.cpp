#include "data/published.h"

#include "data/registry.h"
#include "support/contains.h"

#include <c10/util/accumulate.h>

#include <algorithm>

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

/// The network of the paper that takes images of this shape; for others, and for fewer images, the one that fits any
/// size, but for images so small that there is nothing to pool.
std::string network_for(const DatasetInfo& info, int64_t images) {
  constexpr int64_t kShortestSide = 8;
  const auto& shape = info.input_shape;
  for (const auto& entry : known_datasets()) {
    if (images >= kManyImages && info.num_classes > 0 && entry.image_shape == shape) return entry.published.model;
  }
  return shape.size() == 3 && std::min(shape[1], shape[2]) >= kShortestSide ? "cnn" : "linear";
}

bool is_known(const std::string& dataset) {
  const auto names = dataset_names();
  return contains(names, dataset);
}

PublishedSettings published_for_own_images() {
  auto settings = published_for_images();
  settings.model = "cnn";
  settings.epochs = 300;  // at most: training ends when the validation part says so
  settings.strengths = false;
  settings.sigma = settings.gamma = settings.eps = settings.alpha = 0;
  return settings;
}

PublishedSettings published_for_own_images(const DatasetInfo& info, int64_t images) {
  auto settings = published_for_own_images();
  settings.model = network_for(info, images);
  if (info.input_shape[0] == 3) take_ball_of_photographs(settings);
  const double width = info.bounds ? info.bounds->high() - info.bounds->low() : 1;
  settings.sigma_inner_rate *= width;
  settings.gamma_inner_rate *= width;
  settings.inputs = c10::multiply_integers(info.input_shape);
  return settings;
}

}  // namespace

PublishedSettings published_settings(const std::string& dataset) {
  if (is_known(dataset)) return find_dataset(dataset).published;
  if (is_table(dataset)) return published_for_tables();
  return data_kind(dataset) == DataKind::kImages ? published_for_own_images() : published_for_images();
}

PublishedSettings published_settings(const std::string& dataset, const DatasetInfo& info, int64_t images) {
  return data_kind(dataset) == DataKind::kImages ? published_for_own_images(info, images) : published_settings(dataset);
}

PublishedSettings published_settings(const DatasetInfo& info) {
  if (is_known(info.name)) return find_dataset(info.name).published;
  return info.input_shape.size() < 2 ? published_for_tables() : published_for_own_images(info, /*images=*/0);
}

}  // namespace arks
