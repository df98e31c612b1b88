#include "cli/same_rows.h"

#include "cli/data_settings.h"
#include "cli/validation_settings.h"
#include "data/registry.h"
#include "support/contains.h"

#include <arks/support/error.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace arks::cli {

namespace {

using Keys = std::vector<std::string>;

std::string checksum_in(const SettingValues& config) {
  const auto found = config.find(DataSettings().checksum.name());
  return found == config.end() ? "" : found->second;
}

/// A known set with parts of its own. Own data have a checksum, also when they are no longer where they were.
bool is_official(const SettingValues& config, const std::string& data) {
  return checksum_in(config).empty() && data_kind(data) == DataKind::kOfficial;
}

/// The settings that decide which rows are in the test part, and what their labels mean. Not --header: the target has
/// another name where it differs.
Keys keys_of_rows(const Run& run) {
  const auto data = run.is_file() ? "" : *run.what->data;
  Keys keys{WhatSettings().data.name()};
  if (!run.is_file() && is_official(run.config, data)) {
    for (const auto& entry : datasets_with_settings()) {
      if (data != entry.name) continue;
      for (const auto& key : entry.make()->labels()) keys.push_back(key);
    }
    return keys;
  }
  const DataSettings own;
  for (const AnySetting* setting :
       std::initializer_list<const AnySetting*>{&own.target, &own.targets, &own.task, &own.test_data, &own.test_targets,
                                                &own.test_fraction, &own.split_seed, &own.group, &own.checksum}) {
    keys.push_back(setting->name());
  }
  return keys;
}

/// Those that decide which of the other rows a run was trained on.
Keys keys_of_parts() {
  Keys keys{WhatSettings().train_limit.name()};
  const ValidationSettings validation;
  for (const auto* setting : validation.all()) keys.push_back(setting->name());
  return keys;
}

/// What is recorded; of what was not given, what it stands for.
std::optional<std::string> value_in(const Run& run, const std::string& key) {
  const auto found = run.config.find(key);
  if (found != run.config.end()) return found->second;
  const ValidationSettings validation;
  const Keys zero{WhatSettings().train_limit.name(), validation.fraction.name(), validation.fold.name()};
  return contains(zero, key) ? std::optional<std::string>("0") : std::nullopt;
}

/// The first of these in which the runs differ.
std::optional<std::string> first_difference(const Run& one, const Run& other, const Keys& keys) {
  const auto differs = [&](const std::string& key) { return value_in(one, key) != value_in(other, key); };
  const auto found = std::find_if(keys.begin(), keys.end(), differs);
  return found == keys.end() ? std::nullopt : std::optional(*found);
}

/// What can be done about it, where something can.
std::string help_with(const std::string& key, bool own_data) {
  const DataSettings own;
  const Keys what_is_predicted{own.target.name(), own.targets.name(), own.task.name()};
  if (contains(keys_of_parts(), key)) return "; --split test compares them on the test part";
  return own_data && !contains(what_is_predicted, key) ? "; --test-data FILE tests both on other rows" : "";
}

}  // namespace

std::set<std::string> names_of_paths() {
  const DataSettings own;
  return {own.targets.name(), own.test_data.name(), own.test_targets.name()};
}

SettingValues division_of(const SettingValues& config, const std::string& data) {
  SettingValues division;
  if (is_official(config, data)) return division;
  const DataSettings own;
  const ValidationSettings validation;
  const WhatSettings what;
  std::vector<const AnySetting*> settings{&what.train_limit};
  for (const auto* setting : own.all()) settings.push_back(setting);
  for (const auto* setting : validation.all()) settings.push_back(setting);
  const auto paths = names_of_paths();
  for (const auto* setting : settings) {
    const auto found = config.find(setting->name());
    if (found != config.end() && paths.count(found->first) == 0) division.insert(*found);
  }
  return division;
}

void check_same_rows(const Run& one, const Run& other, bool also_parts) {
  if (!one.knows_its_parts() || !other.knows_its_parts()) return;
  auto keys = keys_of_rows(one);
  if (also_parts) {
    for (auto& key : keys_of_parts()) keys.push_back(std::move(key));
  }
  const bool same_content = !one.checksum().empty() && one.checksum() == other.checksum();
  if (same_content || one.is_file() || other.is_file()) {  // files do not know where their data were
    auto paths = names_of_paths();
    paths.insert(WhatSettings().data.name());
    const auto is_path = [&](const std::string& key) { return paths.count(key) > 0; };
    keys.erase(std::remove_if(keys.begin(), keys.end(), is_path), keys.end());
  }
  const auto key = first_difference(one, other, keys);
  if (!key) return;
  const auto shown = [&](const Run& run) { return value_in(run, *key).value_or("not given"); };
  throw Error(c10::str(one.name, " and ", other.name, " cannot be compared on one test set: --", *key, " is ",
                       shown(one), " in the first and ", shown(other), " in the second",
                       help_with(*key, /*own_data=*/!one.checksum().empty())));
}

bool prepared_alike(const Run& one, const Run& other) {
  if (is_official(one.config, *one.what->data)) return true;
  auto keys = keys_of_parts();
  const DataSettings own;
  for (const auto* setting : own.all()) keys.push_back(setting->name());
  return !first_difference(one, other, keys);
}

}  // namespace arks::cli
