#include "cli/load_data.h"

#include <arks/support/error.h>
#include <arks/support/text.h>

namespace arks::cli {

namespace {

std::vector<std::string> all_given(const TestDataSettings& settings) {
  auto given = given_flags(settings.own);
  for (const auto& flag : given_flags(settings.celeba)) given.push_back(flag);
  return given;
}

/// How the settings alone say to load the data.
DataOptions options_of(const TestDataSettings& settings, const std::string& data, const std::string& data_dir) {
  const auto folder = data_dir.empty() ? default_data_dir() : std::filesystem::path(data_dir);
  const auto unused = [&](const std::vector<std::string>& given) {
    ARKS_CHECK(given.empty(), join(given), ": not used by data set ", data);
  };
  if (data != "celeba") unused(given_flags(settings.celeba));
  if (data_kind(data) != DataKind::kOfficial) {
    check_fit(settings.own, data);
    auto own = settings.own;
    check_unchanged(own, data);
    return data_options(own, folder, /*train_limit=*/0);
  }
  unused(given_flags(settings.own));
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

DatasetPtr load_data(const std::vector<Run>& runs, Split split, std::string& data, const TestDataSettings& settings,
                     const CommonOptions& common) {
  const auto* trained = first_trained(runs);
  if (trained == nullptr) {
    ARKS_CHECK(!data.empty(), runs.front().name, " is no run of arks train and does not know its data: give --data");
    auto options = options_of(settings, data, common.data_dir);
    return load_dataset(data, options.image_files(image_files_options(common)), split);
  }
  const auto given = all_given(settings);
  ARKS_CHECK(given.empty(), join(given), ": ", trained->name,
             " knows how its data were divided and read; leave it out");
  for (const auto& run : runs) {
    if (!run.is_file()) check_same_table(*trained, run);
  }
  if (data.empty()) data = trained->config.at("data");
  auto options = data_options(*trained, data, data_dir_of(*trained, common.data_dir));
  return load_dataset(data, options.image_files(image_files_options(common)), split);
}

}  // namespace arks::cli
