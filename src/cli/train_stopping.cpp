#include "cli/train_stopping.h"

#include "data/labels.h"
#include "data/published.h"
#include "data/registry.h"
#include "support/text.h"
#include "train/usual_epochs.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks::cli {

/// Who says how many epochs there are wants them all, on all samples. Otherwise data of the user's own are trained
/// on as long as that helps on samples that are kept apart: the paper's number of epochs is for sets of its size.
void TrainStopping::choose() {
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
void TrainStopping::check_parts() const {
  const auto& data = *settings_.what.data;
  const auto& validation = settings_.data.validation;
  ARKS_CHECK(validation.on() || !validation.seed.given(), "--validation-seed ", validation.seed.value_or(0),
             " needs a validation part: --validation-fraction or --folds");
  ARKS_CHECK(!settings_.data.own.group.given() || data_kind(data) == DataKind::kTable,
             "--group is for tables with named columns; ", data, " is none");
}

int64_t TrainStopping::at_least() const {
  return validates_by_default_ ? kEnoughForValidation : 0;
}

void TrainStopping::found(const DataSplits& splits) {
  if (!splits.validation) {
    found_no_validation(splits);
    return;
  }
  look_for_classes(*splits.train, *splits.validation);
  if (!stops_by_default_) return;
  auto& outer = settings_.outer;
  if (!outer.patience.given()) outer.patience.found(usual_patience(splits.train->size(), steps_of_patience()));
  if (*outer.patience > 0) {
    leave_averaging();
    say_at_most();
  }
  if (!validates_by_default_) return;
  remarks_.findings.emplace_back(c10::str(splits.validation->size(), " training ", samples_word(splits.train->info()),
                                          " are kept for validation, to stop training in time (patience ",
                                          *outer.patience,
                                          "); --validation-fraction 0 or --epochs N trains on all of them"));
}

/// Samples of the steps that patience counts. Smaller batches that nobody asked for make an epoch of more steps, and no
/// one less patient.
int64_t TrainStopping::steps_of_patience() const {
  const auto& batch_size = settings_.outer.batch_size;
  return batch_size.given() ? *batch_size : published_settings(*settings_.what.data).batch_size;
}

/// The number of epochs that was filled in is where training ends at the latest.
void TrainStopping::say_at_most() {
  const auto& outer = settings_.outer;
  const auto filled_in = "epochs " + outer.epochs.text();
  for (auto& text : remarks_.published) {
    if (text != filled_in) continue;
    text = c10::str("epochs at most ", *outer.epochs);
    if (!outer.patience.given()) text += c10::str(", patience ", *outer.patience);
  }
}

/// Choices do not see a class of which the validation part has no samples.
void TrainStopping::look_for_classes(const Dataset& train, const Dataset& validation) {
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
  remarks_.warnings.push_back(c10::str("the validation part has no ", samples_word(train.info()), " of ",
                                       count == 1 ? "class " : "classes ", join(missing), count > kShown ? ", ..." : "",
                                       ", so what it decides is decided without ", count == 1 ? "it" : "them",
                                       "; a larger --validation-fraction has some"));
}

void TrainStopping::found_no_validation(const DataSplits& splits) {
  auto& validation = settings_.data.validation;
  auto& epochs = settings_.outer.epochs;
  validation.drop();
  if (!validates_by_default_) return;
  leave_averaging();
  if (!*settings_.refinement.swa) {
    const auto filled_in = "epochs " + epochs.text();
    epochs.found(usual_epochs(splits.train->size(), *settings_.outer.batch_size, *epochs));
    std::replace(remarks_.published.begin(), remarks_.published.end(), filled_in, "epochs " + epochs.text());
  }
  const auto word = samples_word(splits.train->info());
  const auto why =
      splits.train->size() < kEnoughForValidation
          ? c10::str(splits.train->size(), " training ", word, " are too few")
          : c10::str("the training part has one group of '", settings_.data.own.group.value_or(""), "' only");
  remarks_.findings.emplace_back(c10::str(why, ", so none are kept to stop training in time: it takes ", *epochs,
                                          " epochs, which may be too many or too few; --epochs N sets another number"));
}

void TrainStopping::leave_averaging() {
  auto& refinement = settings_.refinement;
  if (refinement.swa.given() || refinement.swa_start.given()) return;
  refinement.swa.found(false);
  refinement.swa_start.reset();
  const auto of_averaging = [](const std::string& text) { return text.rfind("swa-start", 0) == 0; };
  auto& published = remarks_.published;
  published.erase(std::remove_if(published.begin(), published.end(), of_averaging), published.end());
}

}  // namespace arks::cli
