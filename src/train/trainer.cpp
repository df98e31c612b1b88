#include <arks/train/trainer.h>

#include "support/text.h"
#include "train/training.h"

#include <arks/metric/intervals.h>
#include <fmt/format.h>

#include <cmath>
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

std::string counted(size_t epochs) {
  return c10::str(epochs, epochs == 1 ? " epoch" : " epochs");
}

/// " [5.94, 24.59]": in per cent, as all that the tool prints.
std::string interval_text(const std::optional<Interval>& interval) {
  return interval ? fmt::format(" [{:.2f}, {:.2f}]", 100 * interval->low, 100 * interval->high) : "";
}

/// Lines of older runs have no interval; that of rows without groups follows from the error.
std::optional<Interval> interval_in(const std::optional<Interval>& known, double error, const PartSize& part) {
  if (known || part.groups > 0 || part.samples == 0) return known;
  const auto n = static_cast<double>(part.samples);
  return fraction_interval(std::round(error * n), n);
}

/// "error 13.33 % [5.94, 24.59] on 60 rows in 12 groups".
std::string part_figures(const std::optional<double>& error, const std::optional<Interval>& interval, double loss,
                         const PartSize& part, const std::string& samples) {
  auto text = error_or_loss(error, loss);
  if (error) text += interval_text(interval_in(interval, *error, part));
  if (part.samples > 0) text += " on " + count_of(part.samples, samples);
  return part.groups > 0 ? text + " in " + count_of(part.groups, "groups") : text;
}

/// Of the weights at the end of an epoch. Figures of training belong to those on the way there, so they stand only
/// where there is nothing else.
std::string figures(const EpochMetrics& result, const TrainSummary& summary, const std::string& samples) {
  std::vector<std::string> parts;
  if (result.validation_loss) {
    parts.push_back("validation " + part_figures(result.validation_error, result.validation_interval,
                                                 *result.validation_loss, summary.validation, samples));
  }
  if (result.test_loss) {
    parts.push_back("test " +
                    part_figures(result.test_error, result.test_interval, *result.test_loss, summary.test, samples));
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
    if (termination == TrainTermination::kStoppedEarly && taken) {
      const auto sure = epochs[*taken].validation_error && *epochs[*taken].validation_loss < kSureEnough;
      out << ", stopped since " << counted(epochs.size() - 1 - last_progress(epochs))
          << " brought no lower validation loss"
          << (sure ? c10::str(" (below ", kSureEnough, " all are as good)") : "");
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
