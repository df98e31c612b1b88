#include "train/training.h"

#include "data/batches.h"
#include "data/prepared_batches.h"
#include "problem/state_guard.h"
#include "train/layer_randomness.h"

#include <arks/data/augmented.h>
#include <arks/metric/mmd.h>
#include <arks/support/error.h>
#include <arks/support/random.h>

#include <algorithm>
#include <cmath>

namespace arks {

namespace {

/// How far the inner maximisation moved the distribution of a batch; none where most samples are the same, so that
/// there is no bandwidth to measure with.
std::optional<double> moved(const torch::Tensor& x, const torch::Tensor& u) {
  constexpr int64_t kMost = 256;  // samples; the work grows with the square
  const auto some = [&](const torch::Tensor& samples) {
    return samples.narrow(0, 0, std::min(samples.size(0), kMost));
  };
  try {
    return mmd(GaussianKernel(median_bandwidth(some(x), some(u))), some(x), some(u));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<double> mean(const std::optional<double>& sum, int64_t samples) {
  return sum ? std::optional<double>(*sum / static_cast<double>(samples)) : std::nullopt;
}

}  // namespace

Training::Training(Problem& problem, DatasetPtr train_set, const Objective& objective, TrainOptions options)
    : problem_(problem),
      train_set_(std::move(train_set)),
      options_(std::move(options)),
      method_(objective.name()),
      remedy_(objective.remedy()),
      majorant_(objective.bind(problem)),
      generator_(make_generator(options_.seed(), Stream::kObjective)) {
  ARKS_CHECK(train_set_ != nullptr, "train: no training set given");
  ARKS_CHECK(options_.epochs() > 0, "epochs must be positive, got ", options_.epochs());
  ARKS_CHECK(options_.batch_size() > 0, "batch size must be positive, got ", options_.batch_size());
  ARKS_CHECK(options_.average_from() >= 0, "the epoch from which weights are averaged must not be negative, got ",
             options_.average_from());
  ARKS_CHECK(options_.save_seconds() >= 0, "the seconds between two saves must not be negative, got ",
             options_.save_seconds());
  const auto parameters = problem_.parameters();
  ARKS_CHECK(!parameters.empty(), "train: the problem has no parameters to train");
  if (options_.average_from() > 0) WeightAverage::check_applies(problem_);
  if (options_.augmentation()) Augmented(train_set_, *options_.augmentation(), /*seed=*/0);  // checks that it can be
  optimizer_ = make_optimizer(options_.optimizer(), parameters);
  check_last_batch();
  fingerprint_ = fingerprint(*train_set_);
}

/// Batch norm cannot be trained on one sample; better known now than at the end of the first epoch.
void Training::check_last_batch() {
  if (train_set_->size() % options_.batch_size() != 1 && options_.batch_size() != 1) return;
  const ModeGuard mode(problem_, /*training=*/true);
  const BuffersGuard buffers(problem_);
  torch::NoGradGuard no_grad;
  const auto one = train_set_->get(torch::zeros({1}, torch::kLong));
  try {
    problem_.per_sample_loss(one.inputs, one.targets);
  } catch (const std::exception&) {
    throw Error(c10::str("the last batch of ", train_set_->size(), " samples in batches of ", options_.batch_size(),
                         " is a single sample, on which the model cannot be trained (batch norm?); choose another ",
                         "batch size"));
  }
}

TrainSummary Training::run() {
  TrainSummary summary;
  summary.method = method_;
  if (batch_ == 0) remember_weights();
  save();  // so that there is a good checkpoint from the first moment on
  while (epoch_ < options_.epochs() && ended_.empty() && summary.termination == TrainTermination::kCompleted) {
    const auto end = run_epoch();
    if (end == EpochEnd::kStopped) {
      summary.termination = TrainTermination::kInterrupted;
      check_weights_finite();
      save();
    } else if (end == EpochEnd::kFinished) {
      const auto metrics = finish_epoch();
      save_if_due();
      if (options_.on_epoch()) options_.on_epoch()(metrics);
    }
  }
  if (!ended_.empty()) summary.termination = TrainTermination::kTakenBack;
  summary.ended = ended_;
  if (summary.termination != TrainTermination::kInterrupted) average_.copy_to(problem_);
  summary.epochs = history_;
  for (const auto& metrics : history_) summary.seconds += metrics.seconds;
  return summary;
}

DatasetPtr Training::samples_of_epoch() const {
  if (!options_.augmentation()) return train_set_;
  const auto seed = mix_seed(options_.seed(), Stream::kAugmentation, static_cast<uint64_t>(epoch_ + 1));
  return std::make_shared<Augmented>(train_set_, *options_.augmentation(), seed);
}

Training::EpochEnd Training::run_epoch() {
  // the order is drawn afresh from (seed, epoch): a resumed run needs no replay to find its place
  const auto shuffle = make_generator(options_.seed(), Stream::kShuffle, static_cast<uint64_t>(epoch_ + 1));
  const auto samples = samples_of_epoch();
  const Batches batches(*samples, options_.batch_size(), LastBatch::kKeep, &shuffle);
  set_learning_rate(*optimizer_, learning_rate_in(options_.optimizer(), epoch_ + 1));
  const ModeGuard mode(problem_, /*training=*/true);
  PreparedBatches prepared(batches, batch_);
  while (batch_ < batches.count()) {
    if (options_.stop_requested() && options_.stop_requested()()) return EpochEnd::kStopped;
    const Stopwatch stopwatch;
    step(prepared.next());
    ++batch_;
    seconds_ += stopwatch.seconds();
    if (options_.on_batch()) {
      BatchProgress progress{epoch_ + 1, options_.epochs(), batch_, batches.count(), last_value_, std::nullopt};
      if (!begun_) progress.inner = majorant_->maximizer_info();
      options_.on_batch()(progress);
    }
    begun_ = true;
  }
  check_weights_finite();
  if (!majorant_->watches()) return EpochEnd::kFinished;
  const auto verdict = majorant_->after_epoch({batches.count(), [&](int64_t i) { return batches.get(i); }}, generator_);
  watched_accuracy_ = verdict.accuracy;
  if (verdict.taken_back.empty()) return EpochEnd::kFinished;
  take_back(verdict.taken_back);
  return EpochEnd::kTakenBack;
}

/// Before an epoch; a copy, since the optimiser works in place.
void Training::remember_weights() {
  if (majorant_->watches()) before_ = copied(problem_.state());
}

/// The state of the optimiser stays that of the epoch: nothing goes on from here.
void Training::take_back(const std::string& why) {
  ended_ = c10::str("epoch ", epoch_ + 1, " was undone and training ended: ", why);
  copy_into(before_, problem_.state());
  batch_ = 0;
  sums_ = BatchSums();
  seconds_ = 0;
  save();
}

void Training::step(const Batch& batch) {
  const LayerRandomness randomness(options_.seed(), epoch_ + 1, batch_);
  const auto done = majorant_->step(batch, generator_, [this](const Evaluate& evaluate) { return descend(evaluate); });
  if (batch_ == 0 && done.adversarial.defined()) sums_.mmd = moved(batch.inputs, done.adversarial);
  last_value_ = done.value.item<double>();
  sums_ += done.sums;
}

MajorantValue Training::descend(const Evaluate& evaluate) {
  auto found = evaluate();
  check_finite(found.value.item<double>());
  optimizer_->zero_grad();
  found.value.backward();
  optimizer_->step();
  found.value = found.value.detach();
  return found;
}

void Training::check_finite(double value) const {
  if (std::isfinite(value)) return;
  throw RunError(c10::str("method ", method_, ", epoch ", epoch_ + 1, ", batch ", batch_ + 1, ": the loss became ",
                          value, "; the last good checkpoint is kept; a smaller learning rate",
                          remedy_.empty() ? "" : ", " + remedy_, " may help"));
}

void Training::check_weights_finite() {
  for (const auto& [name, tensor] : problem_.state()) {
    if (tensor.is_floating_point() && !tensor.isfinite().all().item<bool>()) {
      throw RunError(
          c10::str("method ", method_, ", epoch ", epoch_ + 1, ", batch ", batch_, ": weight ", name,
                   " is no longer finite; the last good checkpoint is kept; a smaller learning rate may help"));
    }
  }
}

EpochMetrics Training::finish_epoch() {
  EpochMetrics metrics;
  metrics.epoch = epoch_ + 1;
  metrics.train_error = mean(sums_.wrong, sums_.samples);
  metrics.train_loss = sums_.loss / static_cast<double>(sums_.samples);
  metrics.adversarial_loss = mean(sums_.adversarial_loss, sums_.samples);
  metrics.surrogate = sums_.surrogate / static_cast<double>(sums_.samples);
  metrics.mean_kernel = mean(sums_.kernel, sums_.samples);
  metrics.mean_cost = mean(sums_.cost, sums_.samples);
  metrics.mmd = sums_.mmd;
  metrics.watched_accuracy = watched_accuracy_;
  metrics.learning_rate = learning_rate_in(options_.optimizer(), epoch_ + 1);
  metrics.seconds = seconds_;
  metrics.images_per_second = seconds_ > 0 ? static_cast<double>(sums_.samples) / seconds_ : 0;
  if (options_.average_from() > 0 && epoch_ + 1 >= options_.average_from()) average_.add(problem_);
  if (options_.test_set()) {
    const auto measured = measure_test_set();
    if (!std::isfinite(measured.loss)) {
      throw RunError(c10::str("method ", method_, ", epoch ", epoch_ + 1, ", batch ", batch_, ": the test loss became ",
                              measured.loss, "; the last good checkpoint is kept; a smaller learning rate may help"));
    }
    metrics.test_error = measured.error();
    metrics.test_loss = measured.loss;
  }
  history_.push_back(metrics);
  lines_.push_back(to_json(metrics));
  ++epoch_;
  batch_ = 0;
  sums_ = BatchSums();
  seconds_ = 0;
  remember_weights();
  return metrics;
}

Measured Training::measure_test_set() {
  const AveragedWeightsGuard averaged(problem_, average_);
  return measure(problem_, *options_.test_set());
}

}  // namespace arks
