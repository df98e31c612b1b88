#include <arks/train/trainer.h>

#include "support/text.h"
#include "train/training.h"

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

}  // namespace

std::string TrainSummary::brief_report() const {
  std::ostringstream out;
  out << method << ": ";
  if (epochs.empty()) {
    out << "no epoch finished";
  } else {
    const auto& last = epochs.back();
    out << epochs.size() << (epochs.size() == 1 ? " epoch in " : " epochs in ") << human_seconds(seconds) << ", train "
        << error_or_loss(last.train_error, last.train_loss);
    if (last.test_loss) out << ", test " << error_or_loss(last.test_error, *last.test_loss);
  }
  if (termination == TrainTermination::kInterrupted) out << " (interrupted)";
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
