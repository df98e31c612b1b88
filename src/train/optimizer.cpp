#include <arks/train/optimizer.h>

#include "support/text.h"

#include <arks/support/error.h>

#include <cmath>

namespace arks {

OptimizerKind parse_optimizer(const std::string& name) {
  return named_value<OptimizerKind>(name, optimizer_names(), "optimiser");
}

std::vector<std::string> optimizer_names() {
  return {"sgd", "adam", "amsgrad"};
}

void check(const OptimizerOptions& options) {
  ARKS_CHECK(std::isfinite(options.learning_rate()) && options.learning_rate() > 0,
             "learning rate must be positive and finite, got ", options.learning_rate());
  ARKS_CHECK(options.momentum() >= 0 && options.momentum() < 1, "momentum must be in [0, 1), got ", options.momentum());
  ARKS_CHECK(std::isfinite(options.weight_decay()) && options.weight_decay() >= 0,
             "weight decay must not be negative, got ", options.weight_decay());
  ARKS_CHECK(options.decay_factor() > 0 && options.decay_factor() <= 1, "decay factor must be in (0, 1], got ",
             options.decay_factor());
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const OptimizerOptions& options,
                                                        const std::vector<torch::Tensor>& parameters) {
  check(options);
  if (options.kind() == OptimizerKind::kSgd) {
    return std::make_unique<torch::optim::SGD>(parameters, torch::optim::SGDOptions(options.learning_rate())
                                                               .momentum(options.momentum())
                                                               .weight_decay(options.weight_decay()));
  }
  return std::make_unique<torch::optim::Adam>(parameters, torch::optim::AdamOptions(options.learning_rate())
                                                              .weight_decay(options.weight_decay())
                                                              .amsgrad(options.kind() == OptimizerKind::kAmsgrad));
}

double learning_rate_in(const OptimizerOptions& options, int64_t epoch) {
  double rate = options.learning_rate();
  for (const int64_t after : options.decay_epochs()) {
    if (epoch > after) rate *= options.decay_factor();
  }
  return rate;
}

void set_learning_rate(torch::optim::Optimizer& optimizer, double rate) {
  for (auto& group : optimizer.param_groups()) group.options().set_lr(rate);
}

}  // namespace arks
