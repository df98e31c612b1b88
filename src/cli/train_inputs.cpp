#include "cli/train_inputs.h"

#include "data/published.h"
#include "data/registry.h"
#include "model/reinitialise.h"
#include "problem/check_model.h"
#include "support/text.h"

#include <arks/model/registry.h>
#include <arks/model/torchscript.h>
#include <arks/support/error.h>
#include <arks/train/trainer.h>

#include <algorithm>

namespace arks::cli {

namespace fs = std::filesystem;

void TrainInputs::check_settings() {
  auto& data = settings_.what.data;
  data.fill();
  data.found(resolved_data(*data));
  check_fit(settings_.data.own, *data);
  published = settings_.fill();
}

/// What was found is recorded and decides the network, so the published values are filled in once more.
Samples TrainInputs::load_own_samples() {
  const auto& data = *settings_.what.data;
  auto& own = settings_.data.own;
  const auto& model = settings_.what.model;
  own.fill_scaling(data, model.given() && is_model_file(*model));  // what is saved takes what the file took
  const auto options = data_options(own, common_.data_folder(), *settings_.what.train_limit);
  const auto splits = load_splits(data, DataOptions(options).image_files(image_files_options(common_)));
  check_unchanged(own, data);
  if (own.test_fraction.given() && !splits.divided) {
    notes.emplace_back("--test-fraction is not used: the test samples are given separately");
  }
  own.found(splits, data);
  summary = splits.summary;
  const auto& info = splits.train->info();
  if (const auto fitting = published_settings(data, info); !model.given() && fitting.none_fits) {
    notes.emplace_back(c10::str("no network of the paper takes inputs of ", c10::Join("x", info.input_shape),
                                ", so the model is ", fitting.model, "; --model chooses another"));
  }
  published = settings_.fill(&info);
  return {splits.train, splits.test};
}

Samples TrainInputs::load_official_samples() {
  const auto& data = *settings_.what.data;
  settings_.data.choose(data);
  auto options = settings_.data.options_of_known(common_.data_folder());
  options.image_files(image_files_options(common_));
  return {load_dataset(data, options, Split::kTrain), load_dataset(data, options, Split::kTest)};
}

Samples TrainInputs::load_samples() {
  check_settings();  // what is wrong with them comes first: images may be large
  const auto& what = settings_.what;
  const bool official = data_kind(*what.data) == DataKind::kOfficial;
  const auto samples = official ? load_official_samples() : load_own_samples();
  return {limited(samples.train, *what.train_limit), limited(samples.test, *what.limit)};
}

/// A run that goes on takes the file from its own folder; the one it was copied from may have changed since.
Model TrainInputs::load_model(const DatasetInfo& data, const fs::path& resumed) {
  auto& what = settings_.what;
  const auto seed = static_cast<uint64_t>(*what.seed);
  if (!is_model_file(*what.model)) {
    const auto options = ModelOptions(seed).activation(what.activation.value_or(""));
    return scaled(make_model(*what.model, data, options), settings_.network, data);
  }
  const auto file = resumed.empty() ? fs::path(*what.model) : resumed / run_files::kInitial;
  model_file = read_model_file(file, settings_.network);
  what.model.found(absolute_path(*what.model));
  settings_.network.fill();  // now that it is known to be a file
  const auto net = load_torchscript(model_file, file.string());
  const auto parameters = net.parameters();
  ARKS_CHECK(std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.requires_grad(); }),
             "model ", file.string(),
             " has no parameters to train (frozen, or requires_grad is false for all); it can be attacked with ",
             "arks evaluate");
  if (*settings_.network.reinit) {
    const auto left = reinitialise(net, seed);
    if (!left.empty()) notes.push_back("--reinit keeps the values of the file for: " + join(left));
  }
  return scaled(net, settings_.network, data);
}

void TrainInputs::check_own_model(SupervisedProblem& problem, const Dataset& train_set) {
  if (model_file.empty()) return;
  const auto check = check_model(problem, train_set, settings_.method->maximizes(), *settings_.what.model);
  warnings.insert(warnings.end(), check.warnings.begin(), check.warnings.end());
  notes.insert(notes.end(), check.notes.begin(), check.notes.end());
}

/// Weight averaging, the default for tables, does not go with batch norm: averaged weights would need statistics of
/// their own. Unless it was asked for, a network of the user's that has some is trained without.
void TrainInputs::drop_averaging(const Model& model) {
  auto& refinement = settings_.refinement;
  if (model_file.empty() || refinement.swa.given() || !*refinement.swa) return;
  if (model.module()->buffers().empty()) return;
  refinement.swa.found(false);
  refinement.swa_start.reset();
  const auto of_averaging = [](const std::string& text) { return text.rfind("swa-start", 0) == 0; };
  published.erase(std::remove_if(published.begin(), published.end(), of_averaging), published.end());
  notes.emplace_back(
      "trained without --swa, since the network has state that is not trained (statistics of batch norm?)");
}

}  // namespace arks::cli
