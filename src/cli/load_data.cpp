#include "cli/load_data.h"

#include <arks/support/error.h>
#include <arks/support/text.h>

#include <algorithm>
#include <iostream>

namespace arks::cli {

namespace {

/// How the settings alone say to load the data.
DataOptions options_of(const TestDataSettings& settings, const std::string& data, const std::string& data_dir) {
  const auto folder = data_dir.empty() ? default_data_dir() : std::filesystem::path(data_dir);
  check_used(settings, data);
  if (data_kind(data) != DataKind::kOfficial) {
    auto own = settings.own;
    // a model from elsewhere takes the numbers as they are
    if (data_kind(data) == DataKind::kTable) own.standardise = own.standardise.value_or(false);
    check_unchanged(own, data);
    return data_options(own, folder, /*train_limit=*/0);
  }
  if (data != "celeba") return DataOptions(folder);
  auto celeba = settings.celeba;
  celeba.fill();
  return DataOptions(folder).celeba(celeba_options(celeba));
}

}  // namespace

void add_test_data_settings(Flags& flags, TestDataSettings& settings) {
  add_data_settings(flags, settings.own);
  add_celeba_settings(flags, settings.celeba);
}

std::vector<std::string> given_flags(const TestDataSettings& settings) {
  auto given = given_flags(settings.own);
  for (const auto& flag : given_flags(settings.celeba)) given.push_back(flag);
  return given;
}

void check_used(const TestDataSettings& settings, const std::string& data) {
  const auto unused = [&](const std::vector<std::string>& given) {
    ARKS_CHECK(given.empty(), join(given), ": not used by data set ", data);
  };
  const bool official = data_kind(data) == DataKind::kOfficial;
  if (official) find_dataset(data);  // that a name is unknown comes before what its set does not use
  if (data != "celeba") unused(given_flags(settings.celeba));
  if (official) {
    unused(given_flags(settings.own));
  } else {
    check_fit(settings.own, data);
  }
}

DatasetPtr load_data(const std::vector<Run>& runs, Split split, std::string& data, const TestDataSettings& settings,
                     const CommonOptions& common) {
  const auto* trained = first_trained(runs);
  if (trained == nullptr) {
    ARKS_CHECK(!data.empty(), runs.front().name, " is no run of arks train and does not know its data: give --data");
    auto options = options_of(settings, data, common.data_dir);
    return load_dataset(data, options.image_files(image_files_options(common)), split);
  }
  const auto given = given_flags(settings);
  ARKS_CHECK(given.empty(), join(given), ": ", trained->name,
             " knows how its data were divided and read; leave it out");
  for (const auto& run : runs) {
    if (!run.is_file()) check_same_table(*trained, run);
  }
  if (data.empty()) data = trained->config.at("data");
  const auto scaled = trained->config.find("standardise");
  const bool with_files = std::any_of(runs.begin(), runs.end(), [](const Run& run) { return run.is_file(); });
  if (with_files && scaled != trained->config.end() && scaled->second == "true" && !common.quiet) {
    std::cerr << "arks: note: all models get the standardised inputs of " << trained->name
              << ", TorchScript files as well; tested alone they get the numbers as they are\n";
  }
  auto options = data_options(*trained, data, data_dir_of(*trained, common.data_dir));
  return load_dataset(data, options.image_files(image_files_options(common)), split);
}

std::vector<std::pair<std::string, std::string>> used_data_settings(const std::vector<Run>& runs,
                                                                    const std::string& data,
                                                                    const TestDataSettings& settings) {
  std::map<std::string, std::string> values;
  if (const auto* trained = first_trained(runs)) {
    if (trained->config.at("data") == data) values = trained->config;
  } else {
    std::string toml;
    for (const auto& [key, value] : as_toml(settings.own, data)) toml += key + " = " + value + "\n";
    for (const auto& [key, value] : as_toml(settings.celeba)) toml += key + " = " + value + "\n";
    values = read_toml(toml, "the flags of the data");
  }
  std::vector<std::pair<std::string, std::string>> rows;
  for (const char* key :
       {"target", "targets", "task", "test-data", "test-targets", "test-fraction", "split-seed", "standardise",
        "resize", "channels", "layout", "attribute", "balance", "balance-seed", "data-checksum"}) {
    if (const auto found = values.find(key); found != values.end()) rows.emplace_back(*found);
  }
  return rows;
}

}  // namespace arks::cli
