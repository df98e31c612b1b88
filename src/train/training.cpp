#include "train/training.h"

#include "data/batches.h"
#include "data/guard_advice.h"
#include "data/labels.h"
#include "data/prepared_batches.h"
#include "metric/group_statistics.h"
#include "problem/state_guard.h"
#include "support/text.h"
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

PartSize part_of(const Dataset& part) {
  const auto groups = groups_of(part);
  return {part.size(), groups.defined() ? group_count(groups) : 0};
}

std::optional<double> mean(const std::optional<double>& sum, int64_t samples) {
  return sum ? std::optional<double>(*sum / static_cast<double>(samples)) : std::nullopt;
}

/// What it costs to predict the same for every sample, as far as the first so many targets say; else 1.
double loss_of_constant(const DatasetPtr& train_set) {
  constexpr int64_t kMost = 4096;
  const auto some = limited(train_set, std::min(train_set->size(), kMost));
  const double loss = blind_loss(labels_of(*some), train_set->info().num_classes);
  return std::isfinite(loss) && loss > 0 ? loss : 1;
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
  ARKS_CHECK(options_.patience() >= 0, "patience must not be negative, got ", options_.patience());
  ARKS_CHECK(options_.patience() == 0 || options_.validation_set(), "patience needs a validation set");
  ARKS_CHECK(!options_.validation_set() || options_.validation_set()->size() > 0, "the validation set is empty");
  ARKS_CHECK(options_.save_seconds() >= 0, "the seconds between two saves must not be negative, got ",
             options_.save_seconds());
  const auto parameters = problem_.parameters();
  ARKS_CHECK(!parameters.empty(), "train: the problem has no parameters to train");
  if (options_.average_from() > 0) WeightAverage::check_applies(problem_);
  if (options_.augmentation()) Augmented(train_set_, *options_.augmentation(), /*seed=*/0);  // checks that it can be
  optimizer_ = make_optimizer(options_.optimizer(), parameters);
  check_last_batch();
  fingerprint_ = fingerprint(*train_set_);
  constant_loss_ = loss_of_constant(train_set_);
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
  const auto goes_on = [&] { return epoch_ < options_.epochs() && ended_.empty() && !out_of_patience(); };
  while (goes_on() && summary.termination == TrainTermination::kCompleted) {
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
  if (summary.termination != TrainTermination::kInterrupted) {
    if (out_of_patience() && epoch_ < options_.epochs()) summary.termination = TrainTermination::kStoppedEarly;
    if (!ended_.empty()) summary.termination = TrainTermination::kTakenBack;
    average_.copy_to(problem_);
    if (!best_.empty()) copy_into(best_, problem_.state());
  }
  summary.ended = ended_;
  if (!best_.empty()) summary.taken = taken_epoch(history_);
  summary.epochs = history_;
  if (options_.validation_set()) summary.validation = part_of(*options_.validation_set());
  if (options_.test_set()) summary.test = part_of(*options_.test_set());
  if (!history_.empty()) summary.warnings = warnings(history_[summary.taken.value_or(history_.size() - 1)]);
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
  if (!start_loss_ && done.sums.samples > 0) {
    const double loss = done.sums.loss / static_cast<double>(done.sums.samples);
    if (std::isfinite(loss)) start_loss_ = loss;
  }
  sums_ += done.sums;
}

MajorantValue Training::descend(const Evaluate& evaluate) {
  auto found = evaluate();
  const double value = found.value.item<double>();
  if (!start_surrogate_) start_surrogate_ = value;
  check_sane(value, Figure::kSurrogate, "the loss", batch_ + 1);
  ARKS_CHECK(found.value.requires_grad(),
             "train: the loss does not depend on the weights: detached, or computed under no_grad?");
  optimizer_->zero_grad();
  found.value.backward();
  optimizer_->step();
  found.value = found.value.detach();
  return found;
}

/// Which settings to change, and in which direction.
std::string Training::remedies() const {
  return c10::str("; the last good checkpoint is kept; a smaller learning rate (--lr, now ",
                  options_.optimizer().learning_rate(), ")", remedy_.empty() ? "" : ", " + remedy_, " may help");
}

/// The clean loss has a scale of its own, that of the targets. A surrogate has not, and that of a single batch varies.
/// Weights may begin badly, with a huge loss: that is no divergence until it grows.
double Training::most(Figure figure) const {
  constexpr double kAbsurd = 1e6, kDiverged = 1e3;
  if (figure == Figure::kSurrogate) return kAbsurd * std::max(1.0, std::abs(start_surrogate_.value_or(1)));
  return kDiverged * std::max(constant_loss_, std::abs(start_loss_.value_or(0)));
}

/// A loss that is finite but absurd has diverged all the same: weights of 1e15 do not come back.
void Training::check_sane(double value, Figure figure, const char* what, int64_t batch) const {
  if (std::isfinite(value) && value <= most(figure)) return;
  const auto& start = figure == Figure::kSurrogate ? start_surrogate_ : start_loss_;
  const auto beginning =
      std::isfinite(value) && start ? c10::str(", from ", *start, " at the start: it diverged") : std::string();
  throw RunError(c10::str("method ", method_, ", epoch ", epoch_ + 1, ", batch ", batch, ": ", what, " became ",
                          six_digits(value), beginning, remedies()));
}

/// The loss of an epoch is measured on its way: what the last steps did to the weights shows only afterwards. With a
/// validation set the result may be an earlier epoch, and then the last steps did nothing to it.
void Training::check_end() {
  constexpr int64_t kSome = 1024;
  const bool earlier = !best_.empty() && taken_epoch(history_) + 1 != history_.size();
  const AveragedWeightsGuard result(problem_, earlier ? WeightAverage(best_, /*epochs=*/1) : average_);
  const auto measured = measure(problem_, *limited(train_set_, std::min(kSome, train_set_->size())));
  const auto what = c10::str("the training loss of the ", earlier ? "best" : "last", " weights");
  check_sane(measured.loss, Figure::kCleanLoss, what.c_str(), batch_);
}

void Training::check_weights_finite() {
  for (const auto& [name, tensor] : problem_.state()) {
    if (tensor.is_floating_point() && !tensor.isfinite().all().item<bool>()) {
      throw RunError(c10::str("method ", method_, ", epoch ", epoch_ + 1, ", batch ", batch_, ": weight ", name,
                              " is no longer finite", remedies()));
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
  check_sane(metrics.train_loss, Figure::kCleanLoss, "the training loss", batch_);
  check_sane(metrics.surrogate, Figure::kSurrogate, "the surrogate", batch_);
  metrics.mean_kernel = mean(sums_.kernel, sums_.samples);
  metrics.mean_cost = mean(sums_.cost, sums_.samples);
  metrics.mmd = sums_.mmd;
  metrics.watched_accuracy = watched_accuracy_;
  metrics.learning_rate = learning_rate_in(options_.optimizer(), epoch_ + 1);
  metrics.seconds = seconds_;
  metrics.images_per_second = seconds_ > 0 ? static_cast<double>(sums_.samples) / seconds_ : 0;
  if (options_.average_from() > 0 && epoch_ + 1 >= options_.average_from()) average_.add(problem_);
  if (options_.validation_set()) {
    const auto measured = measure_validation();
    metrics.validation_error = measured.error();
    metrics.validation_interval = measured.interval;
    metrics.validation_loss = measured.loss;
  }
  if (options_.test_set()) {
    const auto measured = measure_test();
    metrics.test_error = measured.error();
    metrics.test_interval = measured.interval;
    metrics.test_loss = measured.loss;
  }
  history_.push_back(metrics);
  lines_.push_back(to_json(metrics));
  keep_if_best();
  if (epoch_ + 1 == options_.epochs() || out_of_patience()) check_end();
  ++epoch_;
  batch_ = 0;
  sums_ = BatchSums();
  seconds_ = 0;
  remember_weights();
  return metrics;
}

Measured Training::measure_test() {
  const AveragedWeightsGuard averaged(problem_, average_);
  const auto& criterion = options_.test_criterion();
  const auto& part = *options_.test_set();
  return criterion ? measure(*problem_.with_criterion(*criterion), part) : measure(problem_, part);
}

Measured Training::measure_validation() {
  const AveragedWeightsGuard averaged(problem_, average_);
  const auto measured = measure(problem_, *options_.validation_set());
  if (std::isfinite(measured.loss)) return measured;
  throw RunError(c10::str("method ", method_, ", epoch ", epoch_ + 1, ", batch ", batch_,
                          ": the validation loss became ", six_digits(measured.loss),
                          "; the last good checkpoint is kept; a smaller learning rate may help"));
}

/// A part on which the loss is absurd while that of training is not has samples unlike those of training.
std::vector<std::string> Training::warnings(const EpochMetrics& result) const {
  std::vector<std::string> said;
  const auto judge = [&](const char* part, const std::optional<double>& loss) {
    if (!loss || (std::isfinite(*loss) && *loss <= most(Figure::kCleanLoss))) return;
    said.push_back(c10::str("the ", part, " loss is ", six_digits(*loss), ", that of training ",
                            six_digits(result.train_loss), ": some ", part,
                            " samples are very unlike those of training; look for outliers among them"));
  };
  judge("validation", result.validation_loss);
  judge("test", result.test_loss);
  return said;
}

/// The weights that were measured: the averaged ones where there are some. An epoch that was not measured ends the
/// comparison: what was best before it is not the result any more.
void Training::keep_if_best() {
  if (!options_.validation_set()) best_.clear();
  if (!options_.validation_set() || taken_epoch(history_) + 1 != history_.size()) return;
  const AveragedWeightsGuard averaged(problem_, average_);
  best_ = copied(problem_.state());
}

}  // namespace arks
