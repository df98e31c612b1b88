#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace arks {

/// One epoch of training in numbers: a line of metrics.jsonl. Errors are fractions.
struct EpochMetrics {
  int64_t epoch = 0;                       ///< 1, 2, …
  std::optional<double> train_error;       ///< on the clean samples, before the step of their batch
  double train_loss = 0;                   ///< likewise
  std::optional<double> adversarial_loss;  ///< l(θ,u*)
  double surrogate = 0;                    ///< what was minimised
  std::optional<double> mean_kernel;       ///< k(u*,x); ARKS
  std::optional<double> mean_cost;         ///< c(u*,x), the transport cost; ARKS, WRM, KE
  std::optional<double> mmd;               ///< between x and u* of the first batch, Gaussian kernel, median bandwidth
  std::optional<double> watched_accuracy;  ///< under the attack of a method that watches its epochs; fast
  std::optional<double> test_error;
  std::optional<double> test_loss;
  double learning_rate = 0;
  double seconds = 0;            ///< the training part
  double images_per_second = 0;  ///< likewise
};

/// One JSON object, no line break. Numbers read back exactly; what is not there is null, and so is what is not finite.
/// watched_accuracy is written only where there is one.
std::string to_json(const EpochMetrics& metrics);
EpochMetrics epoch_metrics_from_json(const std::string& line);

/// One line for a person: "epoch 3: train error 12.30 %, …".
std::string describe(const EpochMetrics& metrics);

}  // namespace arks
