#include <arks/train/epoch_metrics.h>

#include "support/json_text.h"
#include "support/text.h"
#include "train/training.h"

#include <arks/support/error.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

namespace arks {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<double> optional_number(const Json& json, const char* key) {
  return json.at(key).is_null() ? std::nullopt : std::optional<double>(json.at(key).get<double>());
}

std::optional<Interval> optional_interval(const Json& json, const std::string& error) {
  if (!json.contains(error + "_low")) return std::nullopt;
  return Interval{json.at(error + "_low").get<double>(), json.at(error + "_high").get<double>()};
}

/// JSON writes what is not finite as null.
double number_or_nan(const Json& json, const char* key) {
  return optional_number(json, key).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

std::string to_json(const EpochMetrics& metrics) {
  Json json = {{"epoch", metrics.epoch},
               {"train_error", number_or_null(metrics.train_error)},
               {"train_loss", metrics.train_loss},
               {"adversarial_loss", number_or_null(metrics.adversarial_loss)},
               {"surrogate", metrics.surrogate},
               {"mean_kernel", number_or_null(metrics.mean_kernel)},
               {"mean_cost", number_or_null(metrics.mean_cost)},
               {"mmd", number_or_null(metrics.mmd)},
               {"test_error", number_or_null(metrics.test_error)},
               {"test_loss", number_or_null(metrics.test_loss)},
               {"learning_rate", metrics.learning_rate},
               {"seconds", metrics.seconds},
               {"images_per_second", metrics.images_per_second}};
  const auto put_interval = [&](const std::string& error, const std::optional<Interval>& interval) {
    if (!interval) return;
    json[error + "_low"] = interval->low;
    json[error + "_high"] = interval->high;
  };
  put_interval("test_error", metrics.test_interval);
  if (metrics.validation_error) json["validation_error"] = *metrics.validation_error;
  put_interval("validation_error", metrics.validation_interval);
  if (metrics.validation_loss) json["validation_loss"] = *metrics.validation_loss;
  if (metrics.watched_accuracy) json["watched_accuracy"] = *metrics.watched_accuracy;
  return json_line(json);
}

EpochMetrics epoch_metrics_from_json(const std::string& line) {
  try {
    const auto json = parse_json(line);
    EpochMetrics metrics;
    metrics.epoch = json.at("epoch").get<int64_t>();
    metrics.train_error = optional_number(json, "train_error");
    metrics.train_loss = number_or_nan(json, "train_loss");
    metrics.adversarial_loss = optional_number(json, "adversarial_loss");
    metrics.surrogate = number_or_nan(json, "surrogate");
    metrics.mean_kernel = optional_number(json, "mean_kernel");
    metrics.mean_cost = optional_number(json, "mean_cost");
    metrics.mmd = optional_number(json, "mmd");
    if (json.contains("watched_accuracy")) metrics.watched_accuracy = optional_number(json, "watched_accuracy");
    if (json.contains("validation_error")) metrics.validation_error = optional_number(json, "validation_error");
    if (json.contains("validation_loss")) metrics.validation_loss = optional_number(json, "validation_loss");
    metrics.validation_interval = optional_interval(json, "validation_error");
    metrics.test_interval = optional_interval(json, "test_error");
    metrics.test_error = optional_number(json, "test_error");
    metrics.test_loss = optional_number(json, "test_loss");
    metrics.learning_rate = json.at("learning_rate").get<double>();
    metrics.seconds = json.at("seconds").get<double>();
    metrics.images_per_second = json.at("images_per_second").get<double>();
    return metrics;
  } catch (const Json::exception& error) {
    throw Error(c10::str("not a line of metrics: ", line.substr(0, 80)));
  }
}

namespace {

/// The first of the epochs with the lowest validation loss, of several the one with the lowest validation error, since
/// the last epoch without. Losses of classes below `floor` are as good as each other.
size_t best_epoch(const std::vector<EpochMetrics>& epochs, double floor) {
  const auto rank = [&](const EpochMetrics& metrics) {
    const double loss = *metrics.validation_loss;
    return std::make_pair(metrics.validation_error && loss < floor ? floor : loss,
                          metrics.validation_error.value_or(0));
  };
  size_t best = epochs.size() - 1;
  for (size_t i = epochs.size(); i > 0 && epochs[i - 1].validation_loss; --i) {
    if (rank(epochs[i - 1]) <= rank(epochs[best])) best = i - 1;
  }
  return best;
}

std::string four_digits(double value) {
  return fmt::format("{:.4g}", without_sign_of_nan(value));
}

}  // namespace

size_t taken_epoch(const std::vector<EpochMetrics>& epochs) {
  ARKS_CHECK(!epochs.empty(), "no epoch to take");
  return best_epoch(epochs, -std::numeric_limits<double>::infinity());
}

size_t last_progress(const std::vector<EpochMetrics>& epochs) {
  ARKS_CHECK(!epochs.empty(), "no epoch to look at");
  return best_epoch(epochs, kSureEnough);
}

std::string error_or_loss(const std::optional<double>& error, double loss) {
  return error ? "error " + percent(error) : "loss " + four_digits(loss);
}

bool out_of_patience(const std::vector<EpochMetrics>& epochs, int64_t patience) {
  if (patience == 0 || epochs.empty() || !epochs.back().validation_loss) return false;
  return static_cast<int64_t>(epochs.size() - 1 - last_progress(epochs)) >= patience;
}

std::string describe(const EpochMetrics& metrics, const std::string& samples) {
  std::ostringstream out;
  out << "epoch " << metrics.epoch << ": train ";
  if (metrics.train_error) out << "error " << percent(metrics.train_error) << ", ";
  out << "loss " << four_digits(metrics.train_loss);
  if (metrics.adversarial_loss)
    out << ", adversarial " << four_digits(*metrics.adversarial_loss) << ", surrogate "
        << four_digits(metrics.surrogate);
  if (metrics.mean_kernel) out << ", kernel " << four_digits(*metrics.mean_kernel);
  if (metrics.mean_cost && !metrics.mean_kernel) out << ", cost " << four_digits(*metrics.mean_cost);
  if (metrics.mmd) out << ", mmd " << four_digits(*metrics.mmd);
  if (metrics.watched_accuracy) out << ", watched accuracy " << percent(metrics.watched_accuracy);
  const auto part = [&](const char* name, const std::optional<double>& error, const std::optional<double>& loss) {
    if (!loss) return;
    out << " | " << name << " ";
    if (error) out << "error " << percent(error) << ", ";
    out << "loss " << four_digits(*loss);
  };
  part("validation", metrics.validation_error, metrics.validation_loss);
  part("test", metrics.test_error, metrics.test_loss);
  out << " | " << human_seconds(metrics.seconds) << ", " << std::llround(metrics.images_per_second) << " " << samples
      << "/s";
  return std::move(out).str();
}

}  // namespace arks
