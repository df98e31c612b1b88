#include <ATen/CPUGeneratorImpl.h>
#include <arks/data/augmented.h>
#include <arks/data/batches.h>
#include <arks/data/prepared_batches.h>
#include <arks/metric/error.h>
#include <arks/metric/mmd.h>
#include <arks/problem/state_guard.h>
#include <arks/support/error.h>
#include <arks/support/file.h>
#include <arks/support/random.h>
#include <arks/support/text.h>
#include <arks/train/trainer.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <mutex>
#include <sstream>

namespace arks {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

torch::Tensor to_bytes(torch::optim::Optimizer& optimizer) {
  torch::serialize::OutputArchive archive;
  optimizer.save(archive);
  std::ostringstream out;
  archive.save_to(out);
  const std::string bytes = std::move(out).str();
  return torch::from_blob(const_cast<char*>(bytes.data()), {static_cast<int64_t>(bytes.size())}, torch::kByte).clone();
}

void from_bytes(torch::optim::Optimizer& optimizer, const torch::Tensor& bytes) {
  std::istringstream in({static_cast<const char*>(bytes.contiguous().data_ptr()), static_cast<size_t>(bytes.numel())});
  torch::serialize::InputArchive archive;
  archive.load_from(in);
  optimizer.load(archive);
}

/// AMSGrad cannot go on from the state of Adam, which lacks the largest second moments.
bool complete(torch::optim::Optimizer& optimizer) {
  for (const auto& group : optimizer.param_groups()) {
    const auto* options = dynamic_cast<const torch::optim::AdamOptions*>(&group.options());
    if (options == nullptr || !options->amsgrad()) continue;
    for (const auto& [key, state] : optimizer.state()) {
      if (!dynamic_cast<torch::optim::AdamParamState&>(*state).max_exp_avg_sq().defined()) return false;
    }
  }
  return true;
}

NamedTensors copied(const NamedTensors& named) {
  NamedTensors copies;
  for (const auto& [name, tensor] : named) copies.emplace_back(name, tensor.detach().clone());
  return copies;
}

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

/// Layers that draw random numbers, as dropout does, take them from torch's own generator. For one step it is started
/// from (seed, epoch, batch), so that a run is the same whatever was drawn before and a resumed one goes on in the same
/// way; then it is as before.
class LayerRandomness {
 public:
  LayerRandomness(uint64_t seed, int64_t epoch, int64_t batch) : generator_(at::detail::getDefaultCPUGenerator()) {
    const std::lock_guard<std::mutex> lock(generator_.mutex());
    before_ = generator_.get_state();
    const auto of_epoch = mix_seed(seed, Stream::kLayers, static_cast<uint64_t>(epoch));
    generator_.set_current_seed(mix_seed(of_epoch, Stream::kLayers, static_cast<uint64_t>(batch)));
  }
  ~LayerRandomness() {
    const std::lock_guard<std::mutex> lock(generator_.mutex());
    generator_.set_state(before_);
  }
  LayerRandomness(const LayerRandomness&) = delete;
  LayerRandomness& operator=(const LayerRandomness&) = delete;

 private:
  torch::Generator generator_;
  torch::Tensor before_;
};

std::optional<double> mean(const std::optional<double>& sum, int64_t samples) {
  return sum ? std::optional<double>(*sum / static_cast<double>(samples)) : std::nullopt;
}

}  // namespace

Trainer::Trainer(Problem& problem, DatasetPtr train_set, const Objective& objective, TrainOptions options)
    : problem_(problem),
      train_set_(std::move(train_set)),
      options_(std::move(options)),
      method_(objective.name()),
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
void Trainer::check_last_batch() {
  if (train_set_->size() % options_.batch_size() != 1 && options_.batch_size() != 1) return;
  const ModeGuard mode(problem_, /*training=*/true);
  const BuffersGuard buffers(problem_);
  torch::NoGradGuard no_grad;
  const auto one = train_set_->get(torch::zeros({1}, torch::kLong));
  try {
    problem_.per_sample_loss(one.inputs, one.targets);
  } catch (const std::exception&) {
    throw Error(c10::str("the last batch of ", train_set_->size(), " samples in batches of ", options_.batch_size(),
                         " is a single sample, on which the model cannot be trained (batch norm?); take another ",
                         "batch size"));
  }
}

void Trainer::resume(const Checkpoint& checkpoint, const std::string& what) {
  check_weights(checkpoint, problem_, what);
  const int64_t done = std::min(checkpoint.batch * options_.batch_size(), train_set_->size());
  ARKS_CHECK(checkpoint.sums.samples == done, what, " stands in mid-epoch, ", checkpoint.batch, " batches and ",
             checkpoint.sums.samples, " samples on: it goes on with the batch size and training set it had, not with ",
             options_.batch_size(), " of ", train_set_->size());
  ARKS_CHECK(!checkpoint.data || *checkpoint.data == fingerprint_, what,
             " was trained on other samples than those given now (check sum ", hex(static_cast<uint32_t>(fingerprint_)),
             ", then ", hex(static_cast<uint32_t>(checkpoint.data.value_or(0))), ")");
  auto optimizer = make_optimizer(options_.optimizer(), problem_.parameters());
  auto generator = make_generator(options_.seed(), Stream::kObjective);
  try {
    from_bytes(*optimizer, checkpoint.optimizer);
    generator.set_state(checkpoint.generator);
  } catch (const std::exception&) {
    throw Error(what + ": the state of the optimiser does not fit this run");
  }
  ARKS_CHECK(complete(*optimizer), what, ": the state of the optimiser does not fit this run: Adam's, not AMSGrad's");
  std::vector<EpochMetrics> history;
  for (const auto& line : checkpoint.metrics) history.push_back(epoch_metrics_from_json(line));
  ARKS_CHECK(!majorant_->watches() || checkpoint.batch == 0 || !checkpoint.before.empty(), what,
             " stands in mid-epoch without the weights before it, which method ", method_,
             " may go back to; go on from the end of an epoch");
  try {
    majorant_->load_state(checkpoint.method);
  } catch (const Error& error) {
    throw Error(what + ": " + error.what());
  }
  load_weights(checkpoint, problem_, what);
  optimizer_ = std::move(optimizer);
  generator_ = generator;
  history_ = std::move(history);
  lines_ = checkpoint.metrics;
  average_ = options_.average_from() > 0 ? WeightAverage(copied(checkpoint.average), checkpoint.averaged_epochs)
                                         : WeightAverage();
  epoch_ = checkpoint.epoch;
  batch_ = checkpoint.batch;
  sums_ = checkpoint.sums;
  seconds_ = checkpoint.seconds;
  before_ = majorant_->watches() ? copied(checkpoint.before) : NamedTensors();
  ended_ = checkpoint.ended;
}

TrainSummary Trainer::run() {
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

DatasetPtr Trainer::samples_of_epoch() const {
  if (!options_.augmentation()) return train_set_;
  const auto seed = mix_seed(options_.seed(), Stream::kAugmentation, static_cast<uint64_t>(epoch_ + 1));
  return std::make_shared<Augmented>(train_set_, *options_.augmentation(), seed);
}

Trainer::EpochEnd Trainer::run_epoch() {
  // the order is drawn afresh from (seed, epoch): a resumed run needs no replay to find its place
  const auto shuffle = make_generator(options_.seed(), Stream::kShuffle, static_cast<uint64_t>(epoch_ + 1));
  const auto samples = samples_of_epoch();
  const Batches batches(*samples, options_.batch_size(), LastBatch::kKeep, &shuffle);
  set_learning_rate(*optimizer_, learning_rate_in(options_.optimizer(), epoch_ + 1));
  const ModeGuard mode(problem_, /*training=*/true);
  PreparedBatches prepared(batches, batch_);
  while (batch_ < batches.count()) {
    if (options_.stop_requested() && options_.stop_requested()()) return EpochEnd::kStopped;
    const auto start = std::chrono::steady_clock::now();
    step(prepared.next());
    ++batch_;
    seconds_ += seconds_since(start);
    if (options_.on_batch()) {
      BatchProgress progress{epoch_ + 1, options_.epochs(), batch_, batches.count(), last_value_, std::nullopt};
      if (!begun_) progress.inner = majorant_->maximizer_info();
      options_.on_batch()(progress);
    }
    begun_ = true;
  }
  check_weights_finite();
  if (!majorant_->watches()) return EpochEnd::kFinished;
  const TrainedEpoch epoch{epoch_ + 1, batches.count(), [&](int64_t i) { return batches.get(i); }};
  const auto why = majorant_->after_epoch(epoch, generator_);
  if (!why) return EpochEnd::kFinished;
  take_back(*why);
  return EpochEnd::kTakenBack;
}

/// Before an epoch; a copy, since the optimiser works in place.
void Trainer::remember_weights() {
  if (majorant_->watches()) before_ = copied(problem_.state());
}

/// The state of the optimiser stays that of the epoch: nothing goes on from here.
void Trainer::take_back(const std::string& why) {
  ended_ = c10::str("epoch ", epoch_ + 1, " was taken back and the training ended: ", why);
  torch::NoGradGuard no_grad;
  auto state = problem_.state();
  for (size_t i = 0; i < state.size(); ++i) state[i].second.copy_(before_[i].second);
  batch_ = 0;
  sums_ = BatchSums();
  seconds_ = 0;
  save();
}

void Trainer::step(const Batch& batch) {
  const LayerRandomness randomness(options_.seed(), epoch_ + 1, batch_);
  const auto done = majorant_->step(batch, generator_, [this](const Evaluate& evaluate) { return descend(evaluate); });
  if (batch_ == 0 && done.adversarial.defined()) sums_.mmd = moved(batch.inputs, done.adversarial);
  last_value_ = done.value.item<double>();
  sums_ += done.sums;
}

MajorantValue Trainer::descend(const Evaluate& evaluate) {
  auto found = evaluate();
  check_finite(found.value.item<double>());
  optimizer_->zero_grad();
  found.value.backward();
  optimizer_->step();
  found.value = found.value.detach();
  return found;
}

void Trainer::check_finite(double value) const {
  if (std::isfinite(value)) return;
  throw RunError(
      c10::str("method ", method_, ", epoch ", epoch_ + 1, ", batch ", batch_ + 1, ": the loss became ", value,
               "; the last good checkpoint is kept; a smaller learning rate, a smaller sigma (arks), a larger",
               " gamma (wrm) or a compact domain may help"));
}

void Trainer::check_weights_finite() {
  for (const auto& [name, tensor] : problem_.state()) {
    if (tensor.is_floating_point() && !tensor.isfinite().all().item<bool>()) {
      throw RunError(
          c10::str("method ", method_, ", epoch ", epoch_ + 1, ", batch ", batch_, ": weight ", name,
                   " is no longer finite; the last good checkpoint is kept; a smaller learning rate may help"));
    }
  }
}

EpochMetrics Trainer::finish_epoch() {
  EpochMetrics metrics;
  metrics.epoch = epoch_ + 1;
  metrics.train_error = mean(sums_.wrong, sums_.samples);
  metrics.train_loss = sums_.loss / static_cast<double>(sums_.samples);
  metrics.adversarial_loss = mean(sums_.adversarial_loss, sums_.samples);
  metrics.surrogate = sums_.surrogate / static_cast<double>(sums_.samples);
  metrics.mean_kernel = mean(sums_.kernel, sums_.samples);
  metrics.mean_cost = mean(sums_.cost, sums_.samples);
  metrics.mmd = sums_.mmd;
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

Measured Trainer::measure_test_set() {
  const AveragedWeightsGuard averaged(problem_, average_);
  return measure(problem_, *options_.test_set());
}

/// Thousands of short epochs would spend their time on flushing files; the last one is always saved.
void Trainer::save_if_due() {
  if (epoch_ >= options_.epochs() || seconds_since(saved_) >= options_.save_seconds()) save();
}

void Trainer::save() {
  if (options_.folder().empty()) return;
  saved_ = std::chrono::steady_clock::now();
  Checkpoint checkpoint;
  checkpoint.architecture = problem_.architecture();
  checkpoint.config = options_.config();
  checkpoint.weights = problem_.state();
  checkpoint.epoch = epoch_;
  checkpoint.batch = batch_;
  checkpoint.sums = sums_;
  checkpoint.seconds = seconds_;
  checkpoint.optimizer = to_bytes(*optimizer_);
  checkpoint.generator = generator_.get_state();
  checkpoint.metrics = lines_;
  checkpoint.data = fingerprint_;
  checkpoint.average = average_.mean();
  checkpoint.averaged_epochs = average_.epochs();
  checkpoint.method = majorant_->state();
  if (batch_ > 0) checkpoint.before = before_;  // else they are the weights themselves
  checkpoint.ended = ended_;
  write_checkpoint(options_.folder() / run_files::kCheckpoint, checkpoint);
  // after the checkpoint and from its lines: whatever moment a crash picks, a resumed run has neither gap nor double
  std::string text;
  for (const auto& line : lines_) text += line + "\n";
  write_file_atomically(options_.folder() / run_files::kMetrics, text);
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
