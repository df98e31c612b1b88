#include "cli/load_data.h"

#include "data/registry.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>
#include <iostream>

namespace arks::cli {

void SourceSettings::add_to(Flags& flags) {
  flags.add(own);
  flags.add(of_set);
}

std::vector<std::string> SourceSettings::given_flags() const {
  auto given = own.given_flags();
  for (const auto& flag : of_set.given_flags()) given.push_back(flag);
  return given;
}

void SourceSettings::choose(const std::string& data) {
  if (of_set.has(data)) {
    of_set.choose(data).fill();
  } else {
    of_set.choose_none();
  }
}

void SourceSettings::check_used(const std::string& data) {
  const auto unused = [&](const std::vector<std::string>& given) {
    ARKS_CHECK(given.empty(), join(given), " cannot be used with data set ", data);
  };
  const bool official = data_kind(data) == DataKind::kOfficial;
  if (official) find_dataset(data);  // that a name is unknown comes before what its set does not use
  choose(data);
  unused(of_set.unused());
  if (official) {
    unused(own.given_flags());
  } else {
    check_fit(own, data);
  }
}

DataOptions SourceSettings::options(const std::string& data, const std::filesystem::path& data_dir) {
  check_used(data);
  if (data_kind(data) != DataKind::kOfficial) {
    DataSettings used;
    used.take(own.values());
    // a model from elsewhere takes the numbers as they are
    if (data_kind(data) == DataKind::kTable) used.standardise.found(used.standardise.value_or(false));
    check_unchanged(used, data);
    return data_options(used, data_dir, /*train_limit=*/0);
  }
  DataOptions options(data_dir);
  if (of_set.get() != nullptr) of_set->apply(options);
  return options;
}

DatasetPtr load_data(const std::vector<Run>& runs, Split split, std::string& data, SourceSettings& settings,
                     const CommonSettings& common) {
  const auto* trained = first_trained(runs);
  if (trained == nullptr) {
    ARKS_CHECK(!data.empty(), runs.front().name, " is not a run of arks train, so its data are unknown; give --data");
    auto options = settings.options(data, common.data_folder());
    return load_dataset(data, options.image_files(image_files_options(common)), split);
  }
  const auto given = settings.given_flags();
  ARKS_CHECK(given.empty(), join(given), ": ", trained->name,
             " knows how its data were divided and read; leave the flag out");
  for (const auto& run : runs) {
    if (!run.is_file()) check_same_table(*trained, run);
  }
  if (data.empty()) data = trained->config.at("data");
  const auto scaled = trained->config.find("standardise");
  const bool with_files = std::any_of(runs.begin(), runs.end(), [](const Run& run) { return run.is_file(); });
  if (with_files && scaled != trained->config.end() && scaled->second == "true" && !*common.quiet) {
    std::cerr << "arks: note: all models, also TorchScript files, get the standardised inputs of " << trained->name
              << "; tested alone, a file gets the numbers as they are\n";
  }
  auto options = data_options(*trained, data, data_dir_of(*trained, common.data_dir.value_or("")));
  return load_dataset(data, options.image_files(image_files_options(common)), split);
}

std::vector<std::pair<std::string, std::string>> used_data_settings(const std::vector<Run>& runs,
                                                                    const std::string& data,
                                                                    const SourceSettings& settings) {
  const auto* trained = first_trained(runs);
  std::vector<std::pair<std::string, std::string>> rows;
  const auto add = [&](const SettingGroup& group) {
    for (const auto* setting : group.all()) {
      if (trained == nullptr) {
        if (setting->has_value()) rows.emplace_back(setting->name(), setting->text());
      } else if (const auto found = trained->config.find(setting->name()); found != trained->config.end()) {
        rows.emplace_back(*found);
      }
    }
  };
  if (trained != nullptr && trained->config.at("data") != data) return rows;
  add(settings.own);
  for (const auto& entry : datasets_with_settings()) {
    if (entry.name == data) add(settings.of_set.get() != nullptr ? *settings.of_set : *entry.make());
  }
  return rows;
}

}  // namespace arks::cli
