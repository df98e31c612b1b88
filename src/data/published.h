#pragma once
#include "data/guard_advice.h"

#include <arks/data/dataset.h>

#include <cstdint>
#include <string>
#include <vector>

namespace arks {

/// The hyper-parameters with which the paper trained and attacked on a data set, and (ball_*) those usual in later
/// adversarial training.
struct PublishedSettings {
  std::string model;
  int64_t epochs;
  int64_t batch_size;
  std::string optimizer;
  double learning_rate;
  double momentum = 0.9;  ///< of SGD
  double weight_decay = 0;
  std::vector<int64_t> decay_epochs;  ///< after which the learning rate falls to a tenth
  bool average = false;               ///< weight averaging, over the second half of the epochs
  std::string augment = "none";       ///< of the training images: none, flip, crop, crop-flip
  int64_t inner_steps;
  std::string inner_optimizer;
  bool strengths = true;            ///< sigma, gamma, eps and alpha are known; else they are for the user to choose,
  std::optional<GuardReach> reach;  ///< or follow from how far to guard: by the data or an expected drift,
  bool reach_follows = false;       ///< which is known when the data are read,
  std::string no_reach;             ///< or cannot be known, for this reason
  int64_t inputs = 0;               ///< of a sample, where the inner learning rates follow from the strength; else 0
  double sigma, sigma_inner_rate;   ///< ARKS: bandwidth (2σ² convention) and inner learning rate
  double gamma, gamma_inner_rate;   ///< WRM: penalty on ‖u−x‖² and inner learning rate
  double eps, alpha;                ///< PGD training: radius and step
  double ball_eps = 0.3;            ///< what adversarial training uses since the paper: radius in L∞, …
  int64_t ball_steps = 40;          ///< … ascent steps, …
  double ball_alpha = 0.01;         ///< … their length, …
  double ball_beta = 1;             ///< … and the weight of a divergence (TRADES on MNIST)
  int64_t attack_steps;             ///< evaluation by PGD; on CIFAR-10 of the first 2,560 test images
  double attack_alpha;
};

/// What the paper's image sets have in common, and its tables. Each known set says in its own file how it differs
/// (DatasetEntry::published).
PublishedSettings published_for_images();
PublishedSettings published_for_tables();

/// Puts in what adversarial training takes on photographs, as found for CIFAR-10 (ball_*).
void take_ball_of_photographs(PublishedSettings& settings);

/// The paper's values for the data set; for one the paper does not use, those for tables (is_table), else those for
/// images with a linear model. The user's own images have the network for any size, more epochs and no strengths. The
/// paper does not say which bandwidths it used on iris and diabetes, nor from which epoch on it averaged the weights.
PublishedSettings published_settings(const std::string& dataset);

/// So many of the user's own images are enough for a network of the paper.
constexpr int64_t kManyImages = 5000;

/// The same for data that have been read. `images` are for training. The user's own images (DataKind::kImages), at
/// least kManyImages, take the network of the paper that was made for images of their shape
/// (DatasetEntry::image_shape). Fewer ones, other shapes and regressions take the one for any size (a linear model
/// where a side is under 8 pixels), for colour images the ball of photographs, Fashion-MNIST's optimiser, and inner
/// learning rates in proportion to the width of their bounds where they do not follow from the strength
/// (InnerSettings::step_for). How strong a method is to be (`strengths`) is for the user to say.
PublishedSettings published_settings(const std::string& dataset, const DatasetInfo& info, int64_t images = 0);

/// The same of samples alone, wherever they come from: those of a known set by its name; others are tables or the
/// user's own images by the shape of a sample.
PublishedSettings published_settings(const DatasetInfo& info);

}  // namespace arks
