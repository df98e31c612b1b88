#pragma once
#include <cstdint>
#include <string>

namespace arks {

/// The hyper-parameters with which the paper trained and attacked on a data set.
struct PublishedSettings {
  std::string model;
  int64_t epochs;
  int64_t batch_size;
  std::string optimizer;
  double learning_rate;
  int64_t inner_steps;
  std::string inner_optimizer;
  double sigma, sigma_inner_rate;  ///< ARKS: bandwidth (2σ² convention) and inner learning rate
  double gamma, gamma_inner_rate;  ///< WRM: penalty on ‖u−x‖² and inner learning rate
  double eps, alpha;               ///< PGD training: radius and step
  int64_t attack_steps;            ///< evaluation by PGD
  double attack_alpha;
};

/// The paper's values for the data set; those of Fashion-MNIST for a set the paper does not use, with a linear model.
PublishedSettings published_settings(const std::string& dataset);

/// True when the paper has this data set.
bool has_published_settings(const std::string& dataset);

}  // namespace arks
