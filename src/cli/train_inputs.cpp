#include "cli/train_inputs.h"

#include "cli/load_run.h"
#include "data/checksum.h"
#include "data/labels.h"
#include "data/model_interface.h"
#include "data/published.h"
#include "data/registry.h"
#include "data/repeats.h"
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

constexpr int64_t kEnoughForValidation = 40;  // a fifth of fewer says next to nothing
constexpr int64_t kFewestEpochs = 5;

/// Whether two files, or folders, are one or have the same bytes.
bool same_content(const fs::path& one, const fs::path& other) {
  std::error_code failure;
  if (fs::equivalent(one, other, failure)) return true;
  if (!fs::is_regular_file(one, failure) || !fs::is_regular_file(other, failure)) return false;
  return fs::file_size(one, failure) == fs::file_size(other, failure) &&
         checksum_of_files({one}) == checksum_of_files({other});
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
  choose_validation();
  published = settings_.fill();
}

/// Who says how many epochs there are wants them all, on all samples. Otherwise data of the user's own are trained
/// on as long as that helps on samples that are kept apart: the paper's number of epochs is for sets of its size.
void TrainInputs::choose_validation() {
  constexpr double kUsualFraction = 0.2;
  const auto& what = settings_.what;
  auto& validation = settings_.data.validation;
  auto& split_seed = settings_.data.own.split_seed;
  validation.check();
  const bool asked = validation.fraction.given() || validation.folds.given();
  stops_by_default_ = is_own_data(*what.data) && !settings_.outer.epochs.given();
  const bool stops = settings_.outer.patience.value_or(0) > 0;
  validates_by_default_ =
      !asked && stops_by_default_ && !stops;  // patience asks for a part, however few rows there are
  ARKS_CHECK(!stops || !asked || validation.on(),
             "--patience needs a validation part, so --validation-fraction cannot be 0");
  if (!asked && (validates_by_default_ || stops)) validation.fraction.found(kUsualFraction);
  check_parts();
  if (what.split_with_seed.value_or(false)) {
    const auto seed = what.seed.value_or(0);
    for (auto* follower : {&split_seed, &validation.seed}) {
      ARKS_CHECK(!follower->given() || **follower == seed, follower->flag(), " ", follower->value_or(0),
                 " cannot be used with --split-with-seed, which makes it --seed, ", seed);
    }
    if (data_kind(*what.data) != DataKind::kOfficial) split_seed.found(seed);
    if (validation.on()) validation.seed.found(seed);
  } else if (validation.on() && !validation.seed.given()) {
    validation.seed.found(split_seed.value_or(0));
  }
}

/// What says who is in a part needs that part.
void TrainInputs::check_parts() const {
  const auto& data = *settings_.what.data;
  const auto& validation = settings_.data.validation;
  ARKS_CHECK(validation.on() || !validation.seed.given(), "--validation-seed ", validation.seed.value_or(0),
             " needs a validation part: --validation-fraction or --folds");
  ARKS_CHECK(!settings_.data.own.group.given() || data_kind(data) == DataKind::kTable,
             "--group is for tables with named columns; ", data, " is none");
}

void TrainInputs::found_validation(const DataSplits& splits) {
  if (!splits.validation) {
    found_no_validation(splits);
    return;
  }
  look_for_classes(*splits.train, *splits.validation);
  if (!stops_by_default_) return;
  stop_in_time(splits);
  if (!validates_by_default_) return;
  findings.emplace_back(c10::str(splits.validation->size(), " training ", samples_word(splits.train->info()),
                                 " are kept for validation, to stop training in time (patience ",
                                 *settings_.outer.patience,
                                 "); --validation-fraction 0 or --epochs N trains on all of them"));
}

/// Choices do not see a class of which the validation part has no samples.
void TrainInputs::look_for_classes(const Dataset& train, const Dataset& validation) {
  const auto trained = class_counts(train), kept = class_counts(validation);
  const auto names = class_names_of(train.info());
  std::vector<std::string> missing;
  for (size_t c = 0; c < trained.size(); ++c) {
    if (trained[c] > 0 && kept[c] == 0) missing.push_back("'" + names[c] + "'");
  }
  if (missing.empty()) return;
  constexpr size_t kShown = 5;
  const auto count = missing.size();
  missing.resize(std::min(count, kShown));
  warnings.push_back(c10::str("the validation part has no ", samples_word(train.info()), " of ",
                              count == 1 ? "class " : "classes ", join(missing), count > kShown ? ", ..." : "",
                              ", so what it decides is decided without ", count == 1 ? "it" : "them",
                              "; a larger --validation-fraction has some"));
}

/// The paper's number of epochs makes an overfitted model of few rows; about so many steps are usual where a validation
/// part decides.
void TrainInputs::found_no_validation(const DataSplits& splits) {
  constexpr int64_t kUsualSteps = 100;
  auto& validation = settings_.data.validation;
  auto& epochs = settings_.outer.epochs;
  validation.drop();
  if (!validates_by_default_) return;
  const int64_t batches = (splits.train->size() + *settings_.outer.batch_size - 1) / *settings_.outer.batch_size;
  leave_averaging();
  if (!*settings_.refinement.swa) epochs.found(std::min(*epochs, std::max(kFewestEpochs, kUsualSteps / batches)));
  const auto word = samples_word(splits.train->info());
  const auto why =
      splits.train->size() < kEnoughForValidation
          ? c10::str(splits.train->size(), " training ", word, " are too few")
          : c10::str("the training part has one group of '", settings_.data.own.group.value_or(""), "' only");
  findings.emplace_back(c10::str(why, ", so none are kept to stop training in time: it takes ", *epochs,
                                 " epochs, which may be too many or too few; --epochs N sets another number"));
}

/// So few samples that an epoch is a step have a validation part as small: the longer the wait, the more likely is a
/// lower loss by chance.
void TrainInputs::stop_in_time(const DataSplits& splits) {
  constexpr int64_t kPatientSteps = 500, kMostEpochs = 100;
  auto& outer = settings_.outer;
  const int64_t batches = (splits.train->size() + *outer.batch_size - 1) / *outer.batch_size;
  if (!outer.patience.given()) outer.patience.found(std::clamp(kPatientSteps / batches, kFewestEpochs, kMostEpochs));
  if (*outer.patience > 0) leave_averaging();
}

/// Whether the test samples can say anything of new ones.
void TrainInputs::look_for_leaks(const DataSplits& splits) {
  const auto& own = settings_.data.own;
  const auto& data = *settings_.what.data;
  const bool same = own.test_data.has_value() && same_content(data, *own.test_data);
  if (!same) look_for_repeats(splits);
  if (same) {
    warnings.emplace_back(
        "--test-data holds the samples of --data, so test figures are of samples that were trained "
        "on; leave it out to keep some apart");
  } else if (own.test_data.has_value() && own.group.has_value()) {
    findings.emplace_back(c10::str("whether groups of '", *own.group, "' are in both --data and --test-data is not ",
                                   "checked; figures of groups that were trained on are too good"));
  }
  check_shares(splits);
}

/// A few rows may be alike by chance; an export that holds every row twice makes a test of what was learned by heart.
void TrainInputs::look_for_repeats(const DataSplits& splits) {
  constexpr double kMany = 0.1;
  if (splits.train->info().input_shape.size() != 1) return;
  const auto repeated = repeated_samples(*splits.test, *splits.train), all = splits.test->size();
  if (static_cast<double>(repeated) < kMany * static_cast<double>(all)) return;
  findings.emplace_back(c10::str(repeated, " of the ", all,
                                 " test rows are training rows, too, with the same inputs and target: test figures of "
                                 "new rows may be worse; is every row there twice?"));
}

/// A few large groups can make parts of quite another size than was asked for.
void TrainInputs::check_shares(const DataSplits& splits) {
  constexpr double kFar = 1.5;
  const auto& own = settings_.data.own;
  if (!own.group.has_value() || *settings_.what.train_limit > 0) return;
  const auto size = [](const DatasetPtr& part) { return part ? part->size() : 0; };
  const int64_t kept = size(splits.train) + size(splits.validation), test = splits.divided ? size(splits.test) : 0;
  const auto judge = [&](const char* part, int64_t samples, int64_t of, double asked) {
    const double share = static_cast<double>(samples) / static_cast<double>(of);
    if (samples == 0 || asked == 0 || (share < kFar * asked && kFar * share > asked)) return;
    warnings.push_back(c10::str("the ", part, " part has ", samples, " of ", of, " rows, ", percent(share, 0),
                                " instead of ", percent(asked, 0), ": the groups of '", *own.group,
                                "' cannot be divided otherwise; other seeds divide them in other ways"));
  };
  judge("test", test, test + kept, own.test_fraction.value_or(TabularOptions().test_fraction()));
  judge("validation", size(splits.validation), kept, settings_.data.validation.fraction.value_or(0));
}

GuardAdvice TrainInputs::advise(const Dataset& train_set) {
  GuardAdvice advice;
  if (resumed_ || strength_of(*settings_.method) == nullptr) return advice;
  if (!settings_.expected.on()) return advise_guard(train_set);
  advice.reach = settings_.expected.reach(train_set);
  return advice;
}

void TrainInputs::say_guard(const GuardAdvice& advice, const Dataset& train_set) {
  if (!advice.reach) return;
  const auto word = samples_word(train_set.info());
  guard = settings_.expected.on() ? expected_line(*settings_.method, *advice.reach, word)
                                  : advice_line(*settings_.method, advice, word);
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
  own.fill_scaling(data, model.given() && is_model_file(*model));  // what is saved takes what the file took
  auto options = data_options(own, common_.data_folder(), *settings_.what.train_limit);
  options.validation(settings_.data.validation.options().at_least(validates_by_default_ ? kEnoughForValidation : 0));
  const auto splits = load_splits(data, DataOptions(options).image_files(image_files_options(common_)));
  check_unchanged(own, data);
  if (own.test_fraction.given() && !splits.divided) {
    notes.emplace_back("--test-fraction is not used: the test samples are given separately");
  }
  own.found(splits, data);
  findings.insert(findings.end(), splits.notes.begin(), splits.notes.end());
  summary = splits.summary;
  const auto& info = splits.train->info();
  const auto advice = advise(*splits.train);
  const auto kept = splits.validation ? splits.validation->size() : 0;
  published = settings_.fill(&info, &advice, splits.train->size() + kept);
  say_guard(advice, *splits.train);
  found_validation(splits);
  look_for_leaks(splits);
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
  if (what.is_cnn() && !what.width.given()) what.width.found(cnn_width(images));
}

/// A run that goes on takes the file from its own folder; the one it was copied from may have changed since.
Model TrainInputs::load_model(const DatasetInfo& data, const fs::path& resumed) {
  auto& what = settings_.what;
  const auto seed = static_cast<uint64_t>(*what.seed);
  if (!is_model_file(*what.model)) {
    const auto net = make_model(*what.model, data, what.network().seed(seed));
    const bool stands_in = !what.model.given() && data_kind(*what.data) == DataKind::kImages && *what.model == "linear";
    if (what.is_cnn() || stands_in) notes.push_back(described(net, data));
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
  leave_averaging();
  findings.emplace_back(
      "trained without --swa, since the network has state that is not trained (statistics of batch norm?)");
}

/// Unless it was asked for: it begins at half of the epochs, and training is to stop before.
void TrainInputs::leave_averaging() {
  auto& refinement = settings_.refinement;
  if (refinement.swa.given() || refinement.swa_start.given()) return;
  refinement.swa.found(false);
  refinement.swa_start.reset();
  const auto of_averaging = [](const std::string& text) { return text.rfind("swa-start", 0) == 0; };
  published.erase(std::remove_if(published.begin(), published.end(), of_averaging), published.end());
}

}  // namespace arks::cli
