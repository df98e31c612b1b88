#pragma once
// From what a user typed as MODEL to a model ready to be tested.
#include "cli/data_settings.h"
#include "cli/model_settings.h"
#include "cli/what_settings.h"
#include "data/model_interface.h"

#include <arks/problem/supervised.h>
#include <arks/train/checkpoint.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace arks::cli {

/// A trained run or a TorchScript file, read but not yet turned into a model.
struct Run {
  std::string name;            // as typed
  std::filesystem::path path;  // of the checkpoint or the file
  Checkpoint checkpoint;
  SettingValues config;                      // of the run; of a file what it says of the division of its data
  std::shared_ptr<const WhatSettings> what;  // what it says was trained on what; null for a file
  std::string program;                       // content of a TorchScript file; empty for a run
  std::optional<ModelInterface> interface;   // what it takes and gives, where it says so: not in older runs
  // of a silent file: whether the user asked for standardised inputs and targets; else it has to do with their own
  bool takes_scaled = false, gives_scaled = false;

  bool is_file() const { return !program.empty(); }
  /// A file from elsewhere, which does not say what it takes.
  bool is_silent() const { return is_file() && !interface; }
  /// It says how its data were divided: a run, or a file of arks for a table or data of the user's own.
  bool knows_its_parts() const { return !is_file() || !config.empty(); }
  /// Of own data, what they were; empty for others, and where it is not known.
  std::string checksum() const;
  /// How many samples it was trained on at most; 0: all.
  int64_t train_limit() const;
};

/// `name` is a run folder, a checkpoint or a TorchScript file. Throws Error saying which of them it should have been.
Run read_run(const std::string& name);

/// Those with these names. `asked` says whether files from elsewhere take standardised numbers.
std::vector<Run> read_runs(const std::vector<std::string>& names, const DataSettings& asked);

/// The first that was trained by arks and so knows its data; null when all are files.
const Run* first_trained(const std::vector<Run>& runs);

/// The one that says how data are read and divided where all are tested on the same: the first run, else the first file
/// that knows its parts; null where only the user can say it.
const Run* first_that_knows(const std::vector<Run>& runs);

/// The data that a model names in its configuration: paths of the user's own files and folders, or the name of a known
/// set. Nothing for files, and for what is no model.
std::vector<std::string> data_named_by(const std::string& model);

/// Throws Error when --mean and --std were given and no model takes them: a run has its own scaling, and so has a file
/// that says what it takes. Beside others, such models are not scaled. Likewise when --standardise already scales the
/// inputs of one.
void check_scaling(const ScalingSettings& scaling, const std::vector<Run>& runs);

/// Cross entropy for classes, squared error for a regression.
std::shared_ptr<const Criterion> criterion_for(const DatasetInfo& data);

/// Where the user says, else where the run had its data if that is still there.
std::filesystem::path data_dir_of(const Run& run, const std::string& given);

/// The run's network with its weights, the averaged ones where there are any, for data of this kind; a TorchScript file
/// that does not say what it takes behind the scaling, where one is given. A model that says what numbers it takes and
/// gives gets those, however the data are scaled. Warns of a run that is not finished.
std::unique_ptr<SupervisedProblem> make_problem(const Run& run, const DatasetInfo& data,
                                                const ScalingSettings* scaling = nullptr,
                                                Engine engine = Engine::kAuto);

/// The same on samples: a TorchScript file is tried on the first ones (check_model). What is odd about it is
/// printed, also with --quiet: it changes what the numbers mean.
std::unique_ptr<SupervisedProblem> make_checked_problem(const Run& run, const Dataset& data,
                                                        const ScalingSettings& scaling, Engine engine,
                                                        bool needs_gradient);

}  // namespace arks::cli
