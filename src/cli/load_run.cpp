#include "cli/load_run.h"

#include "cli/command_line.h"
#include "cli/data_settings.h"
#include "cli/messages.h"
#include "cli/same_rows.h"
#include "data/registry.h"
#include "model/on_scale.h"
#include "problem/check_model.h"
#include "settings/toml_file.h"
#include "support/file.h"
#include "support/text.h"

#include <arks/model/registry.h>
#include <arks/model/torchscript.h>
#include <arks/problem/cross_entropy.h>
#include <arks/problem/squared_error.h>
#include <arks/support/error.h>
#include <arks/train/epoch_metrics.h>
#include <arks/train/trainer.h>

#include <algorithm>
#include <cstdlib>

namespace arks::cli {

namespace fs = std::filesystem;

namespace {

/// What is needed to make the model and its data again; how it was trained does not matter here.
std::shared_ptr<const WhatSettings> recorded_in(const Run& run) {
  auto what = std::make_shared<WhatSettings>();
  for (AnySetting* setting :
       std::initializer_list<AnySetting*>{&what->data, &what->model, &what->seed, &what->activation, &what->width,
                                          &what->batch_norm, &what->train_limit}) {
    const auto found = run.config.find(setting->name());
    if (found != run.config.end()) setting->take(found->second);
  }
  for (const AnySetting* setting : std::initializer_list<const AnySetting*>{&what->data, &what->model, &what->seed}) {
    ARKS_CHECK(setting->given(), run.path.string(), ": its configuration has no '", setting->name(), "'");
  }
  return what;
}

}  // namespace

std::string Run::checksum() const {
  const auto found = config.find(DataSettings().checksum.name());
  return found == config.end() ? "" : found->second;
}

int64_t Run::train_limit() const {
  WhatSettings settings;
  const auto found = config.find(settings.train_limit.name());
  if (found != config.end()) settings.train_limit.take(found->second);
  return settings.train_limit.value_or(0);
}

Run read_run(const std::string& name) {
  Run run;
  run.name = name;
  while (run.name.size() > 1 && run.name.back() == '/') run.name.pop_back();
  std::error_code ignored;
  ARKS_CHECK(fs::exists(name, ignored), "model ", name, " does not exist: expected a run folder of arks train, its ",
             run_files::kCheckpoint, ", or a TorchScript file");
  run.path = fs::is_directory(name, ignored) ? fs::path(name) / run_files::kCheckpoint : fs::path(name);
  ARKS_CHECK(fs::exists(run.path, ignored), "model ", name, " is not a run folder: it has no ", run_files::kCheckpoint);
  if (!fs::is_directory(name, ignored)) {
    auto content = read_file(run.path);
    const auto kind = recognise_model_file(content);
    const bool checkpoint = kind == ModelFile::kCheckpoint || run.path.filename() == run_files::kCheckpoint;
    ARKS_CHECK(
        checkpoint || kind != ModelFile::kOther, name,
        " is neither a checkpoint of arks train nor a TorchScript file; in Python: torch.jit.script(model).save(...)");
    if (!checkpoint) {
      if (kind != ModelFile::kTorchScript) load_torchscript(content, name);  // says what it is instead
      run.program = std::move(content);
      if (const auto text = interface_in(run.program); !text.empty()) {
        run.interface = parse_interface(text, name);
        run.config = {run.interface->division.begin(), run.interface->division.end()};
      }
      return run;
    }
  }
  run.checkpoint = read_checkpoint(run.path);
  ARKS_CHECK(!run.checkpoint.config.empty(), run.path.string(),
             " holds no configuration: it was not written by arks train");
  run.config = read_flat_toml(run.checkpoint.config, run.path.string());
  run.what = recorded_in(run);
  const auto& text = run.checkpoint.interface;
  if (!text.empty()) run.interface = parse_interface(text, run.path.string());
  return run;
}

std::vector<Run> read_runs(const std::vector<std::string>& names, const DataSettings& asked) {
  std::vector<Run> runs;
  for (const auto& name : names) {
    auto run = read_run(name);
    run.takes_scaled = run.is_silent() && asked.standardise.value_or(false);
    run.gives_scaled = run.is_silent() && asked.standardise_targets.value_or(false);
    runs.push_back(std::move(run));
  }
  return runs;
}

std::shared_ptr<const Criterion> criterion_for(const DatasetInfo& data) {
  if (data.num_classes > 0) return std::make_shared<CrossEntropy>();
  return std::make_shared<SquaredError>();
}

fs::path data_dir_of(const Run& run, const std::string& given) {
  if (!given.empty()) return given;
  const auto recorded = run.config.find(CommonSettings().data_dir.name());
  std::error_code ignored;
  const bool usable = std::getenv("ARKS_DATA_DIR") == nullptr && recorded != run.config.end() &&
                      fs::is_directory(recorded->second, ignored);
  return usable ? fs::path(recorded->second) : default_data_dir();
}

const Run* first_trained(const std::vector<Run>& runs) {
  const auto found = std::find_if(runs.begin(), runs.end(), [](const Run& run) { return !run.is_file(); });
  return found == runs.end() ? nullptr : &*found;
}

const Run* first_that_knows(const std::vector<Run>& runs) {
  if (const auto* trained = first_trained(runs)) return trained;
  const auto found = std::find_if(runs.begin(), runs.end(), [](const Run& run) { return run.knows_its_parts(); });
  return found == runs.end() ? nullptr : &*found;
}

std::vector<std::string> data_named_by(const std::string& model) {
  std::error_code ignored;
  const bool folder = fs::is_directory(model, ignored);
  const auto file = folder ? fs::path(model) / run_files::kCheckpoint : fs::path(model);
  std::vector<std::string> data;
  if ((!folder && is_own_data(model)) || !fs::is_regular_file(file, ignored)) return data;
  try {
    const auto run = read_run(model);
    if (run.is_file()) return data;
    data.push_back(*run.what->data);
    for (const auto& name : names_of_paths()) {
      const auto found = run.config.find(name);
      if (found != run.config.end()) data.push_back(found->second);
    }
  } catch (const Error&) {  // whoever needs it says what is wrong
  }
  return data;
}

void check_scaling(const ScalingSettings& scaling, const std::vector<Run>& runs) {
  if (!scaling.given()) return;
  const auto twice = std::find_if(runs.begin(), runs.end(), [](const Run& run) { return run.takes_scaled; });
  ARKS_CHECK(twice == runs.end(), "--mean and --std scale the inputs of ", twice->name,
             ", and so does --standardise; leave one of them out");
  if (std::any_of(runs.begin(), runs.end(), [](const Run& run) { return run.is_silent(); })) return;
  const auto file = std::find_if(runs.begin(), runs.end(), [](const Run& run) { return run.is_file(); });
  ARKS_CHECK(file == runs.end(), "--mean and --std: ", file->name,
             " says itself how its inputs are scaled; leave them out");
  throw Error("--mean and --std are for a MODEL that is a TorchScript file; " + runs.front().name +
              " is a run, which has its own scaling");
}

namespace {

/// A run on a TorchScript file keeps that file beside its checkpoint.
Model untrained_model(const Run& run, const DatasetInfo& data) {
  ModelSettings settings("");
  settings.take(run.config);
  if (!settings.checksum.has_value()) {
    return scaled(make_model(*run.what->model, data, run.what->network()), settings, data);
  }
  const auto file = run.path.parent_path() / run_files::kInitial;
  const auto net = load_torchscript(read_model_file(file, settings), file.string());
  return as_classifier(scaled(net, settings, data), data);
}

/// What a model takes and gives, as it says; of a silent file the user's own numbers, unless scaled ones are asked for.
ModelInterface scales_of(const Run& run, const DatasetInfo& data) {
  if (run.interface) return *run.interface;
  ModelInterface own;
  own.takes_scaled = run.takes_scaled;
  own.gives_scaled = run.gives_scaled;
  own.input_mean = data.input_mean;
  own.input_deviation = data.input_deviation;
  own.target_mean = data.target_mean;
  own.target_deviation = data.target_deviation;
  return own;
}

std::vector<EpochMetrics> epochs_of(const Checkpoint& checkpoint) {
  std::vector<EpochMetrics> epochs;
  for (const auto& line : checkpoint.metrics) epochs.push_back(epoch_metrics_from_json(line));
  return epochs;
}

/// Epochs and batches count from 1.
std::string when_saved(const Checkpoint& checkpoint, const std::string& epochs) {
  if (checkpoint.batch == 0) return c10::str("after epoch ", checkpoint.epoch, " of at most ", epochs);
  return c10::str("in epoch ", checkpoint.epoch + 1, " of at most ", epochs, ", after batch ", checkpoint.batch);
}

/// Which weights those of an unfinished run are.
std::string weights_in(const Checkpoint& checkpoint) {
  if (checkpoint.best.empty()) return "of then";
  const auto epochs = epochs_of(checkpoint);
  return c10::str("of epoch ", epochs[taken_epoch(epochs)].epoch, ", the best on the validation part so far");
}

/// It came to its end: by the number of its epochs, or because its method or the validation part said so. The
/// checkpoint knows that wherever it lies.
bool is_finished(const Run& run) {
  const auto& checkpoint = run.checkpoint;
  const auto recorded = [&](const std::string& key, int64_t otherwise) {
    const auto found = run.config.find(key);
    return found == run.config.end() ? otherwise : parse_whole_number(found->second, key);
  };
  if (checkpoint.epoch >= recorded("epochs", checkpoint.epoch) || !checkpoint.ended.empty()) return true;
  return checkpoint.batch == 0 && out_of_patience(epochs_of(checkpoint), recorded("patience", 0));
}

/// It was interrupted, or it diverged.
void warn_if_unfinished(const Run& run) {
  if (run.is_file() || is_finished(run)) return;
  warn_of(c10::str(run.name, " is not finished: its training was interrupted, or it diverged, ",
                   when_saved(run.checkpoint, run.config.at("epochs")), "; these are the weights ",
                   weights_in(run.checkpoint)));
}

}  // namespace

std::unique_ptr<SupervisedProblem> make_problem(const Run& run, const DatasetInfo& data, const ScalingSettings* scaling,
                                                Engine engine) {
  warn_if_unfinished(run);
  const auto criterion = criterion_for(data);
  if (run.is_file()) {
    auto net = load_torchscript(run.program, run.name);
    if (scaling != nullptr && run.is_silent()) net = scaled(net, *scaling, data);
    net = on_scale_of(data, net, scales_of(run, data));
    return std::make_unique<SupervisedProblem>(as_classifier(net, data), *criterion, engine);
  }
  const auto net = untrained_model(run, data);
  SupervisedProblem trained(net, *criterion, engine);
  load_trained_weights(run.checkpoint, trained, run.path.string());
  // the data may be scaled as those of another run
  const auto fitting = run.interface ? on_scale_of(data, net, *run.interface) : net;
  return std::make_unique<SupervisedProblem>(fitting, *criterion, engine);
}

std::unique_ptr<SupervisedProblem> make_checked_problem(const Run& run, const Dataset& data,
                                                        const ScalingSettings& scaling, Engine engine,
                                                        bool needs_gradient) {
  auto problem = make_problem(run, data.info(), &scaling, engine);
  if (!run.is_file()) return problem;
  const auto found = check_model(*problem, data, {needs_gradient, false}, run.name);
  for (const auto& sentence : found.warnings) warn_of(sentence);
  if (!found.meaning.empty()) note_of(found.meaning);
  return problem;
}

}  // namespace arks::cli
