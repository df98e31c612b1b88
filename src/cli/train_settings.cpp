#include "cli/train_settings.h"

#include "attack/drift_reach.h"
#include "attack/drift_text.h"
#include "data/glance.h"
#include "data/registry.h"
#include "support/file.h"
#include "support/text.h"
#include "train/usual_epochs.h"

#include <arks/model/registry.h>
#include <arks/support/error.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace arks::cli {

namespace {

constexpr const char* kNone = "none";

/// "25,50" as whole numbers; nothing for "none".
std::vector<int64_t> epochs_of(const std::string& text) {
  std::vector<int64_t> epochs;
  if (text == kNone) return epochs;
  const Error refused("--lr-steps: expected epochs as in 25,50, or none, got " + text);
  try {
    for (const double number : parse_numbers(text, "")) {
      if (number != std::floor(number) || number <= 0 || number > 1e15) throw refused;
      epochs.push_back(static_cast<int64_t>(number));
    }
  } catch (const Error&) {
    throw refused;
  }
  return epochs;
}

}  // namespace

void check_schedule(const std::string& text) {
  epochs_of(text);
}

WhatSettings::WhatSettings(std::function<std::string()> usual_model)
    : SettingGroup("What to train"), usual_model_(std::move(usual_model)) {}
WhatSettings::~WhatSettings() = default;

ExpectSettings::ExpectSettings(const std::function<bool()>& useful)
    : SettingGroup("Method"),
      expect(this, text("expect", "drift that sigma, gamma or eps should cover: 'temperature±2, pressure*1.1'")
                       .type("TERMS")
                       .only_if(useful, "by methods with --sigma, --gamma or --eps")),
      expect_file(this, text("expect-file", "file with such terms, one on a line")
                            .input_file()
                            .only_if(useful, "by methods with --sigma, --gamma or --eps")) {}
ExpectSettings::~ExpectSettings() = default;

void ExpectSettings::check(const std::string& data) const {
  if (!on()) return;
  ARKS_CHECK(!expect.has_value() || !expect_file.has_value(), "--expect and --expect-file cannot be used together");
  ARKS_CHECK(data_kind(data) == DataKind::kTable, expect.has_value() ? expect.flag() : expect_file.flag(),
             " needs a table whose columns have names; ", data, " is none");
}

GuardReach ExpectSettings::reach(const Dataset& train_set) const {
  const auto what = expect.has_value() ? expect.flag() : *expect_file;
  const auto terms = expect.has_value() ? *expect : read_file(*expect_file);
  const auto& info = train_set.info();
  return drift_reach(drift_options(parse_drifts(terms, drifting_features(info), what), info), train_set, what);
}

ModelOptions WhatSettings::network() const {
  auto options = ModelOptions().activation(activation.value_or(""));
  return has_width() ? options.width(width.value_or(0)).batch_norm(batch_norm.value_or(false)) : options;
}

OuterSettings::OuterSettings(const PublishedSettings& published) : SettingGroup("Outer loop"), published_(published) {}
OuterSettings::~OuterSettings() = default;

RefinementSettings::RefinementSettings(const PublishedSettings& published, const OuterSettings& outer)
    : SettingGroup("Outer loop"), published_(published), outer_(outer) {}
RefinementSettings::~RefinementSettings() = default;

void TrainSettings::add_to(Flags& flags) {
  flags.add(what);
  flags.add(network);
  data.add_to(flags);
  flags.add(method);
  flags.add(expected);
  for (const auto& wrapper : wrappers) flags.add(*wrapper);
  flags.add(outer);
  flags.add(refinement);
}

std::vector<std::string> TrainSettings::fill(const DatasetInfo* found, const GuardAdvice* advice, int64_t samples,
                                             int64_t kept) {
  what.data.fill();
  what.method.fill();
  auto published = found != nullptr ? published_settings(*what.data, *found, samples) : published_settings(*what.data);
  published.reach_follows = found == nullptr && data_kind(*what.data) != DataKind::kOfficial;
  if (advice != nullptr) {
    published.reach = advice->reach;
    published.no_reach = advice->why_not;
  }
  if (found != nullptr && is_own_data(*what.data)) {
    const int64_t limit = what.train_limit.value_or(0), trained = samples - kept;
    published.batch_size = usual_batch_size(limit > 0 ? std::min(limit, trained) : trained, published.batch_size);
  }
  return fill_in(published, true);
}

bool TrainSettings::stops_early() const {
  const auto& validation = data.validation;
  const bool none = (validation.fraction.given() || validation.folds.given()) && !validation.on();
  const bool never = outer.patience.given() && *outer.patience == 0;
  return is_own_data(*what.data) && !outer.epochs.given() && !none && !never;
}

std::vector<std::string> TrainSettings::fill_in(const PublishedSettings& published, bool checks) {
  published_ = published;
  if (stops_early()) published_.epochs = std::max(published_.epochs, kMostEpochs);
  std::vector<std::string> said, of_method;
  const auto add = [&](const std::vector<std::string>& more) { said.insert(said.end(), more.begin(), more.end()); };
  if (checks) {
    of_method = method.choose(*what.method).prepare(published_);  // its checks come before those of the numbers
  } else {
    method.choose_with_what_fits(*what.method).fill_without_checks(published_);
  }
  method->adapt(published_);
  add(what.fill());
  if (checks) check_network();
  network.fill();
  add(outer.fill());
  add(of_method);
  for (const auto& wrapper : wrappers) add(wrapper->fill());
  add(refinement.fill());
  if (checks) refinement.check();
  return said;
}

void TrainSettings::check_network() const {
  const bool file = is_model_file(*what.model);
  ARKS_CHECK(!file || !what.activation.given(), "--activation is for built-in networks; ", *what.model, " has its own");
  ARKS_CHECK(file || !network.checksum.given(), "--model-checksum is for --model FILE.pt; ", *what.model,
             " is built in");
}

void TrainSettings::fill_for_help() {
  what.data.fill();
  what.method.fill();
  data.choose(*what.data);
  std::map<std::string, std::set<std::string>> defaults;
  const auto for_each = [&](const auto& visit) {
    for (const auto* group : groups()) {
      for (auto* setting : group->all()) visit(*setting, defaults[setting->name()]);
    }
  };
  const auto options = data_options(data.own, {}, 0);
  std::vector<int64_t> counts{0};
  if (count_images(*what.data, options).value_or(kManyImages) >= kManyImages) counts.push_back(kManyImages);
  for (const auto& info : possible_infos(*what.data, options)) {
    for (const auto images : counts) {
      auto published = published_settings(*what.data, info, images);
      published.reach_follows = data_kind(*what.data) != DataKind::kOfficial;
      fill_in(published, /*checks=*/false);
      data.own.fill_scaling(*what.data, is_model_file(*what.model));
      for_each([](const AnySetting& setting, std::set<std::string>& texts) {
        texts.insert(setting.has_value() ? setting.text() : "");
      });
    }
  }
  for_each([](AnySetting& setting, const std::set<std::string>& texts) {
    if (texts.size() > 1) setting.leave_open("by the images");
  });
  leave_open_what_samples_decide();
}

/// How long the user's own data are trained on, and in which steps.
void TrainSettings::leave_open_what_samples_decide() {
  if (!is_own_data(*what.data)) return;
  if (!outer.batch_size.given()) {
    outer.batch_size.leave_open(c10::str("16 to ", *outer.batch_size, " by the samples"));
  }
  if (!outer.patience.given()) outer.patience.leave_open(stops_early() ? "5 to 100 by the samples" : "0");
  if (!stops_early()) return;
  if (outer.patience.value_or(1) > 0 && !refinement.swa.given() && !refinement.swa_start.given()) {
    refinement.swa.found(false);
    refinement.swa_start.reset();
  }
  if (outer.epochs.has_value()) outer.epochs.leave_open(c10::str("at most ", *outer.epochs));
}

std::vector<const SettingGroup*> TrainSettings::groups() const {
  std::vector<const SettingGroup*> found{&what, &network};
  for (const auto* group : data.groups(*what.data)) found.push_back(group);
  found.push_back(method.get());
  found.push_back(&expected);
  for (const auto& wrapper : wrappers) found.push_back(wrapper.get());
  found.insert(found.end(), {&outer, &refinement});
  return found;
}

std::vector<const AnySetting*> TrainSettings::followers_of_seed() const {
  if (!what.split_with_seed.value_or(false)) return {};
  return {&data.own.split_seed, &data.validation.seed};
}

std::vector<std::string> TrainSettings::unused() const {
  std::vector<std::string> sentences;
  for (const auto& flag : method.unused()) sentences.push_back(flag + " is not used by method " + *what.method);
  for (const auto* group : groups()) {
    for (const auto& sentence : group->without_effect()) sentences.push_back(sentence);
  }
  const auto of_data = [&](const std::vector<std::string>& flags) {
    for (const auto& flag : flags) sentences.push_back(flag + " is not used by data set " + *what.data);
  };
  if (data_kind(*what.data) == DataKind::kOfficial) of_data(data.own.given_flags());
  of_data(data.of_set.has(*what.data) ? data.of_set.unused() : data.of_set.given_flags());
  return sentences;
}

OptimizerOptions OuterSettings::optimizer() const {
  return OptimizerOptions()
      .kind(parse_optimizer(*opt))
      .learning_rate(*lr)
      .momentum(momentum.value_or(OptimizerOptions().momentum()))
      .weight_decay(*weight_decay)
      .decay_epochs(epochs_of(*lr_steps));
}

std::optional<CropFlipOptions> RefinementSettings::augmentation() const {
  if (*augment == kNone) return std::nullopt;
  return CropFlipOptions().padding(crops() ? *crop_padding : 0).flip(*augment != "crop");
}

void RefinementSettings::check() const {
  if (!*swa) return;
  ARKS_CHECK(*swa_start <= *outer_.epochs,
             "--swa-start, the epoch in which averaging begins, must be 1 to the number of epochs, ", *outer_.epochs,
             ", got ", *swa_start);
}

}  // namespace arks::cli
