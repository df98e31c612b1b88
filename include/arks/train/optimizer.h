#pragma once
#include <torch/arg.h>
#include <torch/optim/optimizer.h>

#include <memory>
#include <string>
#include <vector>

namespace arks {

enum class OptimizerKind { kSgd, kAdam, kAmsgrad };

/// "sgd", "adam", "amsgrad"
OptimizerKind parse_optimizer(const std::string& name);
std::vector<std::string> optimizer_names();

/// The outer optimiser, for the weights.
struct OptimizerOptions {
  OptimizerOptions() = default;
  TORCH_ARG(OptimizerKind, kind) = OptimizerKind::kAmsgrad;
  TORCH_ARG(double, learning_rate) = 1e-3;        // > 0
  TORCH_ARG(double, momentum) = 0.9;              // of SGD; in [0,1)
  TORCH_ARG(double, weight_decay) = 0;            // ≥ 0
  TORCH_ARG(std::vector<int64_t>, decay_epochs);  // after each of these epochs the rate is multiplied by decay_factor
  TORCH_ARG(double, decay_factor) = 0.1;          // in (0,1]
};

/// Throws Error naming the option that cannot be used.
void check(const OptimizerOptions& options);

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const OptimizerOptions& options,
                                                        const std::vector<torch::Tensor>& parameters);

/// The learning rate in epoch 1, 2, …: the initial one times decay_factor for every decay epoch that has passed.
double learning_rate_in(const OptimizerOptions& options, int64_t epoch);
void set_learning_rate(torch::optim::Optimizer& optimizer, double rate);

}  // namespace arks
