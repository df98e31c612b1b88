#pragma once
// From the settings of `arks train` to the samples and the model that it trains.
#include "cli/train_settings.h"

#include <arks/problem/supervised.h>

#include <filesystem>
#include <string>
#include <vector>

namespace arks::cli {

struct Samples {
  DatasetPtr train, test;
};

/// Loads what is trained and on what. What shows itself only then goes back into the settings: what own data turned out
/// to be, and what fits them.
class TrainInputs {
 public:
  TrainInputs(TrainSettings& settings, const CommonSettings& common) : settings_(settings), common_(common) {}

  /// Fills in the settings. Throws Error for those that do not go together, as far as that is known without the data.
  void check_settings();
  /// Both parts, cut to --train-limit and --limit. All settings are checked and filled in before large files are read.
  Samples load_samples();
  /// A built-in network, or --model FILE.pt. `resumed` is the folder of the run that goes on, empty for a new one.
  Model load_model(const DatasetInfo& data, const std::filesystem::path& resumed);
  /// Tries a network of the user's own on the first samples. Throws Error when it cannot be trained on them.
  void check_own_model(SupervisedProblem& problem, const Dataset& train_set);
  void drop_averaging(const Model& model);

  // what there is to say of them
  std::vector<std::string> warnings, notes;
  std::vector<std::string> published;  // values that were filled in
  std::string summary;                 // of a table or own data, in one line; empty for other data
  std::string model_file;              // content of --model FILE.pt; empty for a built-in network

 private:
  Samples load_own_samples();
  Samples load_official_samples();

  TrainSettings& settings_;
  const CommonSettings& common_;
};

}  // namespace arks::cli
