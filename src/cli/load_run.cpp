#include "cli/load_run.h"

#include "cli/command_line.h"
#include "cli/data_settings.h"
#include "data/registry.h"
#include "problem/check_model.h"
#include "settings/toml_file.h"
#include "support/file.h"

#include <arks/model/registry.h>
#include <arks/model/torchscript.h>
#include <arks/problem/cross_entropy.h>
#include <arks/problem/squared_error.h>
#include <arks/support/error.h>
#include <arks/train/trainer.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace arks::cli {

namespace fs = std::filesystem;

namespace {

/// What is needed to make the model and its data again; how it was trained does not matter here.
std::shared_ptr<const WhatSettings> recorded_in(const Run& run) {
  auto what = std::make_shared<WhatSettings>();
  for (AnySetting* setting : std::initializer_list<AnySetting*>{&what->data, &what->model, &what->seed,
                                                                &what->activation, &what->train_limit}) {
    const auto found = run.config.find(setting->name());
    if (found != run.config.end()) setting->take(found->second);
  }
  for (const AnySetting* setting : std::initializer_list<const AnySetting*>{&what->data, &what->model, &what->seed}) {
    ARKS_CHECK(setting->given(), run.path.string(), ": its configuration has no '", setting->name(), "'");
  }
  return what;
}

}  // namespace

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
      return run;
    }
  }
  run.checkpoint = read_checkpoint(run.path);
  ARKS_CHECK(!run.checkpoint.config.empty(), run.path.string(),
             " holds no configuration: it was not written by arks train");
  run.config = read_flat_toml(run.checkpoint.config, run.path.string());
  run.what = recorded_in(run);
  return run;
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

void check_same_table(const Run& one, const Run& other) {
  const auto value = [](const Run& run, const std::string& key) {
    const auto found = run.config.find(key);
    return found == run.config.end() ? std::string("-") : found->second;
  };
  const auto compare = [&](const std::string& key) {
    ARKS_CHECK(value(one, key) == value(other, key), one.name, " and ", other.name,
               " cannot be compared on one test set: ", key, " is ", value(one, key), " in the first and ",
               value(other, key), " in the second");
  };
  const auto &data = *one.what->data, &other_data = *other.what->data;
  if (data_kind(data) == DataKind::kOfficial && data_kind(other_data) == DataKind::kOfficial) {
    for (const auto& entry : datasets_with_settings()) {
      if (data != entry.name || other_data != entry.name) continue;
      for (const auto& key : entry.make()->labels()) compare(key);
    }
    return;
  }
  compare(one.what->data.name());
  DataSettings source;
  source.take(one.config);
  for (const auto* setting : source.all()) compare(setting->name());
  // the scaling is learned from the samples that were used
  if (source.standardise.value_or(false)) compare(one.what->train_limit.name());
}

const Run* first_trained(const std::vector<Run>& runs) {
  const auto found = std::find_if(runs.begin(), runs.end(), [](const Run& run) { return !run.is_file(); });
  return found == runs.end() ? nullptr : &*found;
}

void check_scaling(const ScalingSettings& scaling, const std::vector<Run>& runs) {
  if (!scaling.given()) return;
  ARKS_CHECK(std::any_of(runs.begin(), runs.end(), [](const Run& run) { return run.is_file(); }),
             "--mean and --std are for a MODEL that is a TorchScript file; ", runs.front().name,
             " is a run, which has its own scaling");
}

namespace {

/// A run on a TorchScript file keeps that file beside its checkpoint.
Model untrained_model(const Run& run, const DatasetInfo& data) {
  ModelSettings settings("");
  settings.take(run.config);
  if (!settings.checksum.has_value()) {
    const auto options = ModelOptions().activation(run.what->activation.value_or(""));
    return scaled(make_model(*run.what->model, data, options), settings, data);
  }
  const auto file = run.path.parent_path() / run_files::kInitial;
  return scaled(load_torchscript(read_model_file(file, settings), file.string()), settings, data);
}

}  // namespace

std::unique_ptr<SupervisedProblem> make_problem(const Run& run, const DatasetInfo& data, const ScalingSettings* scaling,
                                                Engine engine) {
  const auto criterion = criterion_for(data);
  if (run.is_file()) {
    const auto net = load_torchscript(run.program, run.name);
    return std::make_unique<SupervisedProblem>(scaling != nullptr ? scaled(net, *scaling, data) : net, *criterion,
                                               engine);
  }
  auto problem = std::make_unique<SupervisedProblem>(untrained_model(run, data), *criterion, engine);
  load_trained_weights(run.checkpoint, *problem, run.path.string());
  return problem;
}

std::unique_ptr<SupervisedProblem> make_checked_problem(const Run& run, const Dataset& data,
                                                        const ScalingSettings& scaling, Engine engine,
                                                        bool needs_gradient, bool quiet) {
  auto problem = make_problem(run, data.info(), &scaling, engine);
  if (!run.is_file()) return problem;
  const auto found = check_model(*problem, data, needs_gradient, run.name);
  if (quiet) return problem;
  for (const auto& sentence : found.warnings) std::cerr << "arks: warning: " << sentence << "\n";
  return problem;
}

}  // namespace arks::cli
