#pragma once
#include <arks/metric/intervals.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  std::optional<double> validation_error;  ///< where there is a validation part and there are classes
  std::optional<Interval> validation_interval;  ///< 95 %, of the error; over groups where rows belong together
  std::optional<double> validation_loss;        ///< where there is a validation part; by the criterion of the training
  std::optional<double> test_error;
  std::optional<Interval> test_interval;  ///< likewise
  std::optional<double> test_loss;
  double learning_rate = 0;
  double seconds = 0;            ///< the training part
  double images_per_second = 0;  ///< likewise
};

/// One JSON object, no line break. Numbers read back exactly; what is not there is null, and so is what is not finite.
/// watched_accuracy, validation_error, validation_loss and the ends of intervals (test_error_low, test_error_high) are
/// written only where there are some.
std::string to_json(const EpochMetrics& metrics);
EpochMetrics epoch_metrics_from_json(const std::string& line);

/// The place of the epoch whose weights are the result: with a validation part the one with the lowest validation loss,
/// of several the one with the lowest validation error, of these the first. A run that went on without a validation
/// part dropped the best weights it had, so only the epochs since the last one without are compared. The loss decides
/// for classes, too: it is a proper score, where the errors of a few samples are coarse and do not see a model that
/// grows too sure of itself. Without a validation part it is the last epoch. Test figures have no say. `epochs` must
/// not be empty.
size_t taken_epoch(const std::vector<EpochMetrics>& epochs);

/// A log loss below which what is predicted right need not become surer.
constexpr double kSureEnough = 1e-3;

/// The place of the epoch after which nothing became better: that of taken_epoch, except that for classes all losses
/// below kSureEnough are as good. Otherwise a training that has learned all there is would never end.
size_t last_progress(const std::vector<EpochMetrics>& epochs);

/// Whether the last `patience` epochs were no progress. Never with a patience of 0, nor without a validation part.
bool out_of_patience(const std::vector<EpochMetrics>& epochs, int64_t patience);

/// One line for a person: "epoch 3: train error 12.30 %, …".
std::string describe(const EpochMetrics& metrics, const std::string& samples = "images");

}  // namespace arks
