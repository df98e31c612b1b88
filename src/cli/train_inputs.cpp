#include "cli/train_inputs.h"

#include "cli/guard_text.h"
#include "cli/load_run.h"
#include "cli/same_rows.h"
#include "cli/train_leaks.h"
#include "data/constant_targets.h"
#include "data/model_interface.h"
#include "data/published.h"
#include "data/registry.h"
#include "model/reinitialise.h"
#include "problem/check_model.h"
#include "support/text.h"

#include <arks/model/cnn.h>
#include <arks/model/graph.h>
#include <arks/model/registry.h>
#include <arks/model/torchscript.h>
#include <arks/support/error.h>
#include <arks/train/trainer.h>

#include <algorithm>

namespace arks::cli {

namespace fs = std::filesystem;

namespace {

/// Which network was made for these images.
std::string described(const Model& net, const DatasetInfo& data) {
  std::vector<std::string> layers;
  for (const auto& node : graph_of(net).nodes) {
    if (node.name) layers.push_back(describe(node.operation));
  }
  int64_t weights = 0;
  for (const auto& parameter : net.parameters()) weights += parameter.numel();
  return c10::str("model ", net.architecture(), " for images of ", c10::Join("x", data.input_shape), ": ", join(layers),
                  "; ", weights, " weights");
}

}  // namespace

study::RunParts parts_of(const Samples& samples) {
  return {samples_word(samples.train->info()), study::size_of_part(samples.train),
          study::size_of_part(samples.validation), study::size_of_part(samples.test)};
}

void TrainInputs::check_settings() {
  auto& data = settings_.what.data;
  data.fill();
  data.found(resolved_data(*data));
  check_fit(settings_.data.own, *data);
  settings_.expected.check(*data);
  stopping_.choose();
  published = settings_.fill();
}

GuardAdvice TrainInputs::advise(const Dataset& train_set) {
  GuardAdvice advice;
  if (resumed_ || !settings_.method->strength()) return advice;
  if (!settings_.expected.on()) return advise_guard(train_set);
  advice.reach = settings_.expected.reach(train_set);
  return advice;
}

void TrainInputs::say_guard(const GuardAdvice& advice, const Dataset& train_set) {
  if (!advice.reach) return;
  const auto word = samples_word(train_set.info());
  const auto& name = *settings_.what.method;
  guard = settings_.expected.on() ? expected_line(name, *settings_.method, *advice.reach, word)
                                  : advice_lines(name, *settings_.method, advice, train_set.info());
}

std::string TrainInputs::interface_of_own(const DataSplits& splits) const {
  auto says = interface_of(*splits.train, splits.target, splits.encoding.get());
  SettingValues config;
  for (const SettingGroup* group : {static_cast<const SettingGroup*>(&settings_.data.own),
                                    static_cast<const SettingGroup*>(&settings_.data.validation),
                                    static_cast<const SettingGroup*>(&settings_.what)}) {
    for (const auto* setting : group->in_force()) config[setting->name()] = setting->text();
  }
  says.division = division_of(config, *settings_.what.data);
  return to_json(says);
}

/// What was found is recorded and decides the network, so the published values are filled in once more.
Samples TrainInputs::load_own_samples() {
  const auto& data = *settings_.what.data;
  auto& own = settings_.data.own;
  const auto& model = settings_.what.model;
  const bool program = model.given() && is_model_file(*model);
  own.fill_scaling(data, program);  // what is saved takes what the file took
  // a run that goes on has it in its configuration, unless it is of a version that did not scale them
  const bool images = data_kind(data) == DataKind::kImages && !fs::is_directory(data);
  if (images && !resumed_ && !own.standardise_targets.has_value()) own.standardise_targets.found(!program);
  auto options = data_options(own, common_.data_folder(), *settings_.what.train_limit);
  options.validation(settings_.data.validation.options().at_least(stopping_.at_least()));
  const auto splits = load_splits(data, DataOptions(options).image_files(image_files_options(common_)));
  check_unchanged(own, data);
  if (own.test_fraction.given() && !splits.divided) {
    notes.emplace_back("--test-fraction is not used: the test samples are given separately");
  }
  own.found(splits, data);
  findings.insert(findings.end(), splits.notes.begin(), splits.notes.end());
  for (const auto& note : check_targets_differ(splits)) findings.push_back(note);
  summary = splits.summary;
  const auto& info = splits.train->info();
  const auto advice = advise(*splits.train);
  const auto kept = splits.validation ? splits.validation->size() : 0;
  published = settings_.fill(&info, &advice, splits.train->size() + kept, kept);
  say_guard(advice, *splits.train);
  stopping_.found(splits);
  look_for_leaks(settings_, splits, *this);
  interface = interface_of_own(splits);
  return {splits.train, splits.test, splits.validation};
}

Samples TrainInputs::load_official_samples() {
  const auto& data = *settings_.what.data;
  settings_.data.choose(data);
  auto options = settings_.data.options_of_known(common_.data_folder());
  options.image_files(image_files_options(common_));
  const auto splits = load_parts(data, options);
  interface = to_json(interface_of(*splits.train, "", nullptr));
  say_guard(advise(*splits.train), *splits.train);
  return {splits.train, splits.test, splits.validation};
}

void TrainInputs::keep_targets() {
  auto& own = settings_.data.own;
  if (!own.standardise_targets.has_value()) own.standardise_targets.found(false);
}

Samples TrainInputs::load_samples() {
  check_settings();  // what is wrong with them comes first: images may be large
  const auto& what = settings_.what;
  const bool official = data_kind(*what.data) == DataKind::kOfficial;
  const auto samples = official ? load_official_samples() : load_own_samples();
  const auto train = limited(samples.train, *what.train_limit);
  choose_width(train->size());
  return {train, limited(samples.test, *what.limit), samples.validation};
}

void TrainInputs::choose_width(int64_t images) {
  auto& what = settings_.what;
  if (what.has_width() && !what.width.given()) what.width.found(cnn_width(images));
}

/// A run that goes on takes the file from its own folder; the one it was copied from may have changed since.
Model TrainInputs::load_model(const DatasetInfo& data, const fs::path& resumed) {
  auto& what = settings_.what;
  const auto seed = static_cast<uint64_t>(*what.seed);
  ARKS_CHECK(!settings_.network.given() || !data.input_mean.defined() || !resumed.empty(),
             "--mean and --std: the inputs of ", data.name, " are standardised already; leave them out, or give ",
             "--no-standardise");
  if (!is_model_file(*what.model)) {
    const auto net = make_model(*what.model, data, what.network().seed(seed));
    const bool chosen_here = !what.model.given() && data_kind(*what.data) == DataKind::kImages;
    if (what.has_width() || chosen_here) notes.push_back(described(net, data));
    return scaled(net, settings_.network, data);
  }
  const auto file = resumed.empty() ? fs::path(*what.model) : resumed / run_files::kInitial;
  model_file = read_model_file(file, settings_.network);
  if (const auto text = interface_in(model_file); !text.empty()) {
    ARKS_CHECK(!settings_.network.given(), "--mean and --std: ", file.string(),
               " says itself how its inputs are scaled; leave them out");
    check_starts_on(parse_interface(text, file.string()), file.string(), data);
  }
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
    if (!left.empty()) findings.push_back("--reinit keeps the values of the file for: " + join(left));
  }
  return as_classifier(scaled(net, settings_.network, data), data);
}

void TrainInputs::check_own_model(SupervisedProblem& problem, const Dataset& train_set) {
  if (model_file.empty()) return;
  const auto check = check_model(problem, train_set, {settings_.method->maximizes(), true}, *settings_.what.model);
  warnings.insert(warnings.end(), check.warnings.begin(), check.warnings.end());
  if (!check.meaning.empty()) findings.push_back(check.meaning);
  notes.insert(notes.end(), check.notes.begin(), check.notes.end());
}

/// Weight averaging, the default for tables, does not go with batch norm: averaged weights would need statistics of
/// their own. Unless it was asked for, a network of the user's that has some is trained without.
void TrainInputs::drop_averaging(const Model& model) {
  const auto& refinement = settings_.refinement;
  if (model_file.empty() || refinement.swa.given() || !*refinement.swa) return;
  if (model.module()->buffers().empty()) return;
  stopping_.leave_averaging();
  findings.emplace_back(
      "trained without --swa, since the network has state that is not trained (statistics of batch norm?)");
}

}  // namespace arks::cli
