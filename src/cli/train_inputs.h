#pragma once
// From the settings of `arks train` to the samples and the model that it trains.
#include "cli/train_stopping.h"
#include "study/run_parts.h"

#include <arks/problem/supervised.h>

#include <filesystem>
#include <string>
#include <vector>

namespace arks::cli {

struct Samples {
  DatasetPtr train, test;
  DatasetPtr validation;  // null where there is none
};

/// How many they are.
study::RunParts parts_of(const Samples& samples);

/// Loads what is trained and on what. What shows itself only then goes back into the settings: what own data turned out
/// to be, and what fits them.
class TrainInputs : public TrainRemarks {
 public:
  TrainInputs(TrainSettings& settings, const CommonSettings& common) : settings_(settings), common_(common) {}

  /// Fills in the settings. Throws Error for those that do not go together, as far as that is known without the data.
  void check_settings();
  /// Both parts, cut to --train-limit and --limit. All settings are checked and filled in before large files are read.
  Samples load_samples();
  /// Of a run that goes on: what its data decided is in its configuration.
  void goes_on() { resumed_ = true; }
  /// For a run of a version that did not scale the numbers to predict.
  void keep_targets();
  /// A built-in network, or --model FILE.pt. `resumed` is the folder of the run that goes on, empty for a new one.
  Model load_model(const DatasetInfo& data, const std::filesystem::path& resumed);
  /// Tries a network of the user's own on the first samples. Throws Error when it cannot be trained on them.
  void check_own_model(SupervisedProblem& problem, const Dataset& train_set);
  void drop_averaging(const Model& model);

  std::string summary;     // of a table or own data, in one line; empty for other data
  std::string interface;   // what a model of these samples takes and gives, as JSON
  std::string model_file;  // content of --model FILE.pt; empty for a built-in network
  std::string guard;       // how far the method reaches, and what the data say of it; empty: nothing

 private:
  /// What a model of these samples says of itself.
  std::string interface_of_own(const DataSplits& splits) const;
  /// How far to guard these samples, and what there is to say of it when the settings are filled in.
  GuardAdvice advise(const Dataset& train_set);
  void say_guard(const GuardAdvice& advice, const Dataset& train_set);
  /// Of the network for images of any size, where it was not given.
  void choose_width(int64_t images);
  Samples load_own_samples();
  Samples load_official_samples();

  TrainSettings& settings_;
  const CommonSettings& common_;
  TrainStopping stopping_{settings_, *this};
  bool resumed_ = false;
};

}  // namespace arks::cli
