#include <arks/train/trainer.h>

#include "support/text.h"
#include "train/training.h"

#include <arks/metric/intervals.h>
#include <fmt/format.h>

#include <cmath>
#include <iomanip>
#include <sstream>

namespace arks {

Trainer::Trainer(Problem& problem, DatasetPtr train_set, const Objective& objective, TrainOptions options)
    : training_(std::make_unique<Training>(problem, std::move(train_set), objective, std::move(options))) {}

Trainer::~Trainer() = default;

void Trainer::resume(const Checkpoint& checkpoint, const std::string& what) {
  training_->resume(checkpoint, what);
}

TrainSummary Trainer::run() {
  return training_->run();
}

namespace {

/// "error 12.34 %" where there is right and wrong, "loss 0.123" where there is not.
std::string error_or_loss(const std::optional<double>& error, double loss) {
  return error ? "error " + percent(error) : c10::str("loss ", std::setprecision(4), loss);
}

std::string counted(size_t epochs) {
  return c10::str(epochs, epochs == 1 ? " epoch" : " epochs");
}

/// "13.33 % [5.94, 24.59]": with the interval of all that the tool prints.
std::string with_interval(double error, int64_t samples) {
  const auto n = static_cast<double>(samples);
  const auto interval = fraction_interval(std::round(error * n), n);
  const auto in_percent = [](double value) { return fmt::format("{:.2f}", 100 * value); };
  return percent(error) + " [" + in_percent(interval.low) + ", " + in_percent(interval.high) + "]";
}

/// Rows of one group are alike: how far to trust their error, arks evaluate says.
std::string test_figures(const EpochMetrics& result, const TrainSummary& summary, const std::string& samples) {
  const auto on = " on " + count_of(summary.test_samples, samples);
  if (!result.test_error) return error_or_loss(std::nullopt, *result.test_loss) + on;
  if (summary.test_groups > 0)
    return "error " + percent(result.test_error) + on + " in " + count_of(summary.test_groups, "groups");
  return "error " + with_interval(*result.test_error, summary.test_samples) + on;
}

/// Of the weights at the end of an epoch. Figures of training belong to those on the way there, so they stand only
/// where there is nothing else.
std::string figures(const EpochMetrics& result, const TrainSummary& summary, const std::string& samples) {
  std::vector<std::string> parts;
  if (result.validation_loss) {
    parts.push_back("validation " + error_or_loss(result.validation_error, *result.validation_loss));
  }
  if (result.test_loss) {
    parts.push_back("test " + test_figures(result, summary, samples));
  }
  if (!parts.empty()) return join(parts);
  return "train " + error_or_loss(result.train_error, result.train_loss) + " on the way through the last epoch";
}

}  // namespace

std::string TrainSummary::brief_report(const std::string& samples) const {
  const bool interrupted = termination == TrainTermination::kInterrupted;
  const bool chosen = taken && !interrupted;
  std::ostringstream out;
  out << method << ": ";
  if (epochs.empty()) {
    out << "no epoch finished";
  } else {
    out << counted(epochs.size()) << " in " << human_seconds(seconds);
    if (termination == TrainTermination::kStoppedEarly) {
      out << ", stopped since " << counted(epochs.size() - 1 - *taken) << " brought no lower validation loss";
    }
    const auto& result = epochs[chosen ? *taken : epochs.size() - 1];
    if (chosen) out << "; epoch " << result.epoch << " taken";
    out << ": " << figures(result, *this, samples);
  }
  if (interrupted) out << " (interrupted)";
  if (termination == TrainTermination::kTakenBack) out << "; " << ended;
  out << "\n";
  return std::move(out).str();
}

std::string TrainSummary::full_report() const {
  std::ostringstream out;
  for (const auto& metrics : epochs) out << describe(metrics) << "\n";
  out << brief_report();
  return std::move(out).str();
}

TrainSummary train(Problem& problem, const DatasetPtr& train_set, const Objective& objective,
                   const TrainOptions& options) {
  return Trainer(problem, train_set, objective, options).run();
}

}  // namespace arks
