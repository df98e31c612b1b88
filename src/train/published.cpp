#include <arks/train/published.h>

namespace arks {

namespace {

PublishedSettings fashion_mnist() {
  PublishedSettings settings;
  settings.model = "fashion-cnn";
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

}  // namespace

PublishedSettings published_settings(const std::string& dataset) {
  auto settings = fashion_mnist();
  if (!has_published_settings(dataset)) settings.model = "linear";
  return settings;
}

bool has_published_settings(const std::string& dataset) {
  return dataset == "fashion-mnist";
}

}  // namespace arks
