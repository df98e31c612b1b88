#include <arks/data/registry.h>
#include <arks/train/published.h>

#include <map>

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

PublishedSettings cifar10() {
  auto settings = fashion_mnist();
  settings.model = "resnet20";
  settings.epochs = 65;
  settings.batch_size = 128;
  settings.optimizer = "sgd";
  settings.learning_rate = 0.1;
  settings.weight_decay = 1e-4;
  settings.decay_epochs = {25, 50};
  settings.augment = "crop-flip";
  settings.sigma = 0.1;
  settings.sigma_inner_rate = 0.001;
  settings.gamma = 50;
  settings.gamma_inner_rate = 0.001;
  settings.alpha = 0.0001;
  settings.attack_alpha = 0.02;
  return settings;
}

PublishedSettings celeba() {
  auto settings = fashion_mnist();
  settings.model = "celeba-cnn";
  settings.batch_size = 128;
  settings.sigma = 0.2;
  settings.sigma_inner_rate = 0.002;
  settings.gamma = 4;
  settings.gamma_inner_rate = 0.002;
  settings.alpha = 0.0005;
  settings.attack_alpha = 0.02;
  return settings;
}

PublishedSettings diabetes() {
  auto settings = fashion_mnist();
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
  return settings;
}

PublishedSettings iris() {
  auto settings = diabetes();
  settings.batch_size = 128;
  settings.optimizer = "sgd";
  settings.learning_rate = 0.1;
  settings.momentum = 0;
  return settings;
}

/// The network of the paper that takes images of this shape.
std::string network_for(const DatasetInfo& info) {
  static const std::map<std::vector<int64_t>, std::string> networks{
      {{1, 28, 28}, "fashion-cnn"}, {{3, 32, 32}, "resnet20"}, {{3, 64, 48}, "celeba-cnn"}};
  const auto found = networks.find(info.input_shape);
  return info.num_classes > 0 && found != networks.end() ? found->second : "linear";
}

}  // namespace

PublishedSettings published_settings(const std::string& dataset) {
  if (dataset == "cifar10") return cifar10();
  if (dataset == "celeba") return celeba();
  if (dataset == "iris") return iris();
  if (is_table(dataset)) return diabetes();
  auto settings = fashion_mnist();
  if (!has_published_settings(dataset)) settings.model = "linear";
  if (data_kind(dataset) == DataKind::kImages) {
    settings.strengths = false;
    settings.sigma = settings.gamma = settings.eps = settings.alpha = 0;
  }
  return settings;
}

PublishedSettings published_settings(const std::string& dataset, const DatasetInfo& info) {
  auto settings = published_settings(dataset);
  if (data_kind(dataset) != DataKind::kImages) return settings;
  settings.model = network_for(info);
  const double width = info.bounds ? info.bounds->high() - info.bounds->low() : 1;
  settings.sigma_inner_rate *= width;
  settings.gamma_inner_rate *= width;
  return settings;
}

bool has_published_settings(const std::string& dataset) {
  for (const char* name : {"fashion-mnist", "cifar10", "celeba", "iris", "diabetes"}) {
    if (dataset == name) return true;
  }
  return false;
}

}  // namespace arks
