#include "cli/train_settings.h"

#include "data/registry.h"
#include "support/text.h"

#include <arks/model/registry.h>
#include <arks/support/error.h>

#include <cmath>

namespace arks::cli {

namespace {

constexpr const char* kNone = "none";

/// "25,50" as whole numbers; nothing for "none".
std::vector<int64_t> epochs_of(const std::string& text) {
  std::vector<int64_t> epochs;
  if (text == kNone) return epochs;
  for (const double number : parse_numbers(text, "--lr-steps")) {
    ARKS_CHECK(number == std::floor(number) && number > 0 && number < 1e15,
               "--lr-steps: expected whole numbers > 0, got ", shortest(number));
    epochs.push_back(static_cast<int64_t>(number));
  }
  return epochs;
}

}  // namespace

void check_schedule(const std::string& text) {
  epochs_of(text);
}

WhatSettings::WhatSettings(const PublishedSettings& published) : SettingGroup("What to train"), published_(published) {}
WhatSettings::~WhatSettings() = default;

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
  for (const auto& wrapper : wrappers) flags.add(*wrapper);
  flags.add(outer);
  flags.add(refinement);
}

std::vector<std::string> TrainSettings::fill(const DatasetInfo* found) {
  what.data.fill();
  what.method.fill();
  published_ = found != nullptr ? published_settings(*what.data, *found) : published_settings(*what.data);
  auto& chosen = method.choose(*what.method);
  std::vector<std::string> said;
  const auto add = [&](const std::vector<std::string>& more) { said.insert(said.end(), more.begin(), more.end()); };
  const auto of_method = chosen.prepare(published_);  // its checks come before those of the numbers
  chosen.adapt(published_);
  add(what.fill());
  network.fill();
  add(outer.fill());
  add(of_method);
  for (const auto& wrapper : wrappers) add(wrapper->fill());
  add(refinement.fill());
  refinement.check();
  return said;
}

void TrainSettings::fill_without_checks() {
  what.data.fill();
  what.method.fill();
  published_ = published_settings(*what.data);
  data.choose(*what.data);
  try {
    method.choose(*what.method);
  } catch (const Error&) {  // it is chosen all the same, without the value that it refuses
  }
  method->fill_without_checks(published_);
  method->adapt(published_);
  what.fill();
  network.fill();
  for (const auto& wrapper : wrappers) wrapper->fill();
  outer.fill();
  refinement.fill();
}

std::vector<std::string> TrainSettings::unused() const {
  std::vector<std::string> sentences;
  for (const auto& flag : method.unused()) sentences.push_back(flag + " is not used by method " + *what.method);
  const std::vector<const SettingGroup*> groups{&network, data.of_set.get(), method.get(), &outer, &refinement};
  for (const auto* group : groups) {
    if (group == nullptr) continue;  // a set without settings of its own
    for (const auto& sentence : group->without_effect()) sentences.push_back(sentence);
  }
  const auto of_data = [&](const std::vector<std::string>& flags) {
    for (const auto& flag : flags) sentences.push_back(flag + " is not used by data set " + *what.data);
  };
  if (data_kind(*what.data) == DataKind::kOfficial) of_data(data.own.given_flags());
  of_data(data.of_set.has(*what.data) ? data.of_set.unused() : data.of_set.given_flags());
  return sentences;
}

std::string TrainSettings::toml() const {
  std::string lines;
  const auto add = [&](const SettingGroup& group) {
    for (const auto* setting : group.in_force()) lines += setting->name() + " = " + setting->toml() + "\n";
  };
  add(what);
  add(network);
  if (data_kind(*what.data) != DataKind::kOfficial) add(data.own);
  if (data.of_set.get() != nullptr) add(*data.of_set);
  add(*method);
  for (const auto& wrapper : wrappers) add(*wrapper);
  add(outer);
  add(refinement);
  return lines;
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
