#include "cli/train_watch.h"

#include "cli/messages.h"
#include "data/guard_advice.h"
#include "data/labels.h"
#include "objective/method_settings.h"
#include "support/text.h"

#include <c10/util/accumulate.h>

namespace arks::cli {

namespace {

/// The loss on a part of predicting for every sample what is best for the training part, as far as so many of the
/// targets say. They are spread over the part: a folder of images may come class by class.
double loss_of_constant(const DatasetPtr& train, const DatasetPtr& part) {
  constexpr int64_t kMost = 4096;
  const auto some = [&](const DatasetPtr& samples) {
    const auto step = (samples->size() + kMost - 1) / kMost;
    return labels_of(Selection(samples, torch::arange(0, samples->size(), step)));
  };
  return blind_losses(some(part), some(train), train->info().num_classes).mean().item<double>();
}

}  // namespace

void TrainWatch::look_at(const EpochMetrics& metrics) {
  warn_if_nothing_moves(metrics);
  warn_if_overshot(metrics);
}

/// A surrogate of the best points found is above the clean loss, up to what batch norm makes of it; another one says
/// that training follows points that are nobody's worst case.
void TrainWatch::warn_if_overshot(const EpochMetrics& metrics) {
  constexpr double kFarBelow = 0.5;
  const bool differ = has_batch_norm_ && climbs_in_evaluation_mode(*settings_.method);
  if (warned_of_length_ || begins(metrics) || differ || !(metrics.surrogate < kFarBelow * metrics.train_loss)) return;
  const auto advice = settings_.method->how_to_stay_near();
  if (advice.empty()) return;
  warned_of_length_ = true;
  warn_of(c10::str("in epoch ", metrics.epoch, " the surrogate is ", six_digits(metrics.surrogate),
                   ", far below the clean loss, ", six_digits(metrics.train_loss),
                   ", so the points found are no worst points: ", advice));
}

/// At the very start it is usual, when the model is still nearly constant.
void TrainWatch::warn_if_nothing_moves(const EpochMetrics& metrics) {
  if (!first_loss_) first_loss_ = metrics.train_loss;
  // a loss that has grown is no reason to change the reach: then nothing moves since the gradient is lost
  constexpr double kGrown = 10;
  const bool grown = metrics.train_loss > kGrown * *first_loss_;
  if (warned_of_rest_ || begins(metrics) || metrics.mean_cost != 0.0 || grown) return;
  warned_of_rest_ = true;
  const auto advice = settings_.method->how_to_move(c10::multiply_integers(samples_.train->info().input_shape));
  warn_of(c10::str("no sample moved in epoch ", metrics.epoch, ", so it was plain training",
                   advice.empty() ? "" : ": " + advice));
}

/// Only where a validation part was to end it: who asks for so many epochs, and no fewer, gets them.
void TrainWatch::look_at_end(const TrainSummary& summary) const {
  constexpr size_t kLastPart = 20;  // of the epochs the last twentieth
  const auto patience = settings_.outer.patience.value_or(0);
  if (summary.termination != TrainTermination::kCompleted || !summary.taken || patience == 0) return;
  const auto epochs = summary.epochs.size();
  if (epochs < 2 || epochs - 1 - last_progress(summary.epochs) > epochs / kLastPart) return;
  warn_of(c10::str("training ended at the limit of ", epochs, " epochs while the validation loss still fell: the best ",
                   "was epoch ", summary.epochs[*summary.taken].epoch, "; --resume goes on with a larger --epochs, or ",
                   "a new run with a larger --lr (now ", shortest(*settings_.outer.lr), ") gets further"));
}

void TrainWatch::look_at_result(const TrainSummary& summary, bool weighted) const {
  const bool interrupted = summary.termination == TrainTermination::kInterrupted;
  if (interrupted || !summary.taken || !samples_.validation || weighted) return;
  const auto loss = summary.epochs[*summary.taken].validation_loss;
  const double constant = loss_of_constant(samples_.train, samples_.validation);
  if (!loss || !(*loss > constant)) return;
  const auto& info = samples_.train->info();
  warn_of(c10::str("the model is no better than none: its validation loss is ", six_digits(*loss), ", and that of ",
                   info.num_classes > 0 ? "the shares of the classes, predicted" : "the mean target, predicted",
                   " for all ", samples_word(info), ", is ", six_digits(constant),
                   "; another --lr or more --epochs may help, or the inputs do not tell"));
}

}  // namespace arks::cli
