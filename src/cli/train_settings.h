#pragma once
// The flags of `arks train`, their published defaults, and the way from them to library objects and to config.toml.
#include "cli/command_line.h"
#include "cli/data_settings.h"
#include "cli/image_settings.h"
#include "cli/kernel_settings.h"
#include "cli/model_settings.h"

#include <arks/data/augmented.h>
#include <arks/objective/objective.h>
#include <arks/train/optimizer.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arks::cli {

/// What was not given stays empty until fill_published().
struct TrainSettings {
  std::string data = "fashion-mnist";
  std::string method = "arks";
  std::optional<std::string> model;  // name of a network, or a TorchScript file
  std::optional<std::string> activation;
  ModelSettings network;
  int64_t train_limit = 0, limit = 0;
  std::optional<std::string> bounds;
  DataSettings table;
  CelebaSettings celeba;
  int64_t seed = 0;  // ≥ 0; signed as TOML's numbers are

  std::optional<int64_t> epochs, batch_size;
  std::optional<std::string> opt;
  std::optional<double> lr, momentum, weight_decay;
  std::optional<std::string> lr_steps;  // "none" for none
  std::optional<std::string> augment;
  std::optional<int64_t> crop_padding;
  std::optional<bool> swa;
  std::optional<int64_t> swa_start;

  KernelSettings kernel;
  std::optional<double> gamma, eps;
  std::string eps_scale;
  std::string norm = "linf";
  bool random_start = false, project_bounds = false;
  std::string ki_variant = "loss";
  std::optional<double> ki_epsilon, ki_lambda, ki_jitter;

  std::optional<int64_t> inner_steps, inner_restarts;
  std::optional<double> inner_lr;
  bool inner_lr_decay = false;
  std::optional<std::string> inner_opt;
  double inner_tol = 0;
  std::string inner_objective = "product", inner_return = "best", inner_mode = "eval";
};

/// What a method has: an inner maximisation, a kernel, several starts of the ascent.
bool maximizes(const TrainSettings& settings);
bool has_kernel(const TrainSettings& settings);
bool has_restarts(const TrainSettings& settings);

void add_train_settings(Flags& flags, TrainSettings& settings);

/// Puts the paper's value wherever none was given; returns the names and values it put ("epochs 45"). Throws Error for
/// an unknown method. `found` is what the user's own data turned out to be, where that is known already: it decides the
/// network.
std::vector<std::string> fill_published(TrainSettings& settings, const DatasetInfo* found = nullptr);

/// A sentence for each flag that was given and has no effect.
std::vector<std::string> unused_flags(const TrainSettings& settings);

/// A sentence about settings that are allowed but rarely meant; empty when there is none.
std::string advice(const TrainSettings& settings);

std::unique_ptr<Objective> make_objective(const TrainSettings& settings, const std::optional<Bounds>& data_bounds,
                                          const Dataset& train_set);
OptimizerOptions optimizer_options(const TrainSettings& settings);
/// None when the images are used as they are.
std::optional<CropFlipOptions> augmentation_options(const TrainSettings& settings);

/// Name and value of everything that decides the result, in the order of the help; values as TOML.
std::vector<std::pair<std::string, std::string>> as_toml(const TrainSettings& settings);

std::vector<std::string> method_names();

}  // namespace arks::cli
