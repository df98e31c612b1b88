#include "problem/state_guard.h"
#include "support/file.h"
#include "support/text.h"
#include "train/training.h"

#include <arks/support/error.h>
#include <arks/support/random.h>

#include <sstream>

namespace arks {

namespace {

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

}  // namespace

void Training::resume(const Checkpoint& checkpoint, const std::string& what) {
  check_weights(checkpoint, problem_, what);
  const int64_t done = std::min(checkpoint.batch * options_.batch_size(), train_set_->size());
  ARKS_CHECK(checkpoint.sums.samples == done, what, " was saved mid-epoch, after ", checkpoint.batch, " batches and ",
             checkpoint.sums.samples, " samples: it needs the batch size and training set it had, not batches of ",
             options_.batch_size(), " from ", train_set_->size(), " samples");
  ARKS_CHECK(!checkpoint.data || *checkpoint.data == fingerprint_, what,
             " was trained on other samples than those given now (checksum ", hex(static_cast<uint32_t>(fingerprint_)),
             ", expected ", hex(static_cast<uint32_t>(checkpoint.data.value_or(0))), ")");
  auto optimizer = make_optimizer(options_.optimizer(), problem_.parameters());
  auto generator = make_generator(options_.seed(), Stream::kObjective);
  try {
    from_bytes(*optimizer, checkpoint.optimizer);
    generator.set_state(checkpoint.generator);
  } catch (const std::exception&) {
    throw Error(what + ": the state of the optimiser does not fit this run");
  }
  ARKS_CHECK(complete(*optimizer), what,
             ": the state of the optimiser does not fit this run: it is of Adam, not AMSGrad");
  std::vector<EpochMetrics> history;
  for (const auto& line : checkpoint.metrics) history.push_back(epoch_metrics_from_json(line));
  ARKS_CHECK(!majorant_->watches() || checkpoint.batch == 0 || !checkpoint.before.empty(), what,
             " was saved mid-epoch without the weights before that epoch, which method ", method_,
             " may go back to; continue from the end of an epoch");
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
  best_ = copied(checkpoint.best);
  start_surrogate_ = checkpoint.start_surrogate;
  start_loss_ = checkpoint.start_loss;
  if (!history_.empty()) {  // older checkpoints do not know the first batch
    if (!start_surrogate_) start_surrogate_ = history_.front().surrogate;
    if (!start_loss_) start_loss_ = history_.front().train_loss;
  }
  ended_ = checkpoint.ended;
}

/// Thousands of short epochs would spend their time on flushing files; the last one is always saved.
void Training::save_if_due() {
  if (epoch_ >= options_.epochs() || out_of_patience() || since_save_.seconds() >= options_.save_seconds()) save();
}

void Training::save() {
  if (options_.folder().empty()) return;
  since_save_ = Stopwatch();
  Checkpoint checkpoint;
  checkpoint.architecture = problem_.architecture();
  checkpoint.config = options_.config();
  checkpoint.interface = options_.interface();
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
  checkpoint.best = best_;
  checkpoint.start_surrogate = start_surrogate_;
  checkpoint.start_loss = start_loss_;
  checkpoint.ended = ended_;
  write_checkpoint(options_.folder() / run_files::kCheckpoint, checkpoint);
  // after the checkpoint and from its lines: whatever moment a crash picks, a resumed run has neither gap nor double
  std::string text;
  for (const auto& line : lines_) text += line + "\n";
  write_file_atomically(options_.folder() / run_files::kMetrics, text);
}

}  // namespace arks
