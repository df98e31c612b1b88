#include "cli/load_data.h"

#include "cli/same_rows.h"
#include "data/registry.h"
#include "support/contains.h"
#include "support/text.h"

#include <arks/support/error.h>

#include <algorithm>

namespace arks::cli {

namespace fs = std::filesystem;

void SourceSettings::add_to(Flags& flags, bool validates) {
  flags.add(own);
  if (validates) flags.add(validation);
  flags.add(of_set);
}

std::vector<std::string> SourceSettings::given_flags() const {
  auto given = own.given_flags();
  for (const auto& flag : validation.given_flags()) given.push_back(flag);
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

void SourceSettings::take(const SettingValues& config, const std::string& data) {
  own.take(config);
  validation.take(config);
  for (const auto& [title, setting] : of_set.declared()) {
    const auto found = config.find(setting->name());
    if (found != config.end()) of_set.give(found->first, found->second);
  }
  choose(data);
}

std::string SourceSettings::take_from(const std::vector<std::string>& models, std::string data) {
  std::vector<Run> runs;
  for (const auto& name : models) {
    try {
      runs.push_back(read_run(name));
    } catch (const Error&) {  // whoever needs it says what is wrong
    }
  }
  const auto* trained = first_trained(runs);
  if (trained != nullptr && data.empty()) data = *trained->what->data;
  take(trained != nullptr ? trained->config : SettingValues(), data);
  return data;
}

std::vector<const SettingGroup*> SourceSettings::groups(const std::string& data) const {
  std::vector<const SettingGroup*> found;
  if (data_kind(data) != DataKind::kOfficial) found.push_back(&own);
  found.push_back(&validation);
  if (of_set.get() != nullptr) found.push_back(of_set.get());
  return found;
}

DataOptions SourceSettings::options_of_known(const fs::path& data_dir) const {
  DataOptions options(data_dir);
  if (of_set.get() != nullptr) of_set->apply(options);
  return options.validation(validation.options());
}

DataOptions SourceSettings::options(const std::string& data, const fs::path& data_dir) {
  check_used(data);
  validation.check();
  if (data_kind(data) == DataKind::kOfficial) return options_of_known(data_dir);
  own.fill_scaling(data, /*program=*/true);
  check_unchanged(own, data);
  return data_options(own, data_dir, /*train_limit=*/0).validation(validation.options());
}

namespace {

/// As the run had them.
DataOptions options_of(const Run& run, const std::string& data, SourceSettings& settings, const fs::path& data_dir) {
  const auto& trained_on = *run.what->data;
  std::error_code ignored;
  ARKS_CHECK(data != trained_on || !fs::path(data).is_absolute() || fs::exists(data, ignored), run.name,
             " was trained on ", data,
             ", which no longer exists; put it back, or give --test-data FILE to test on other rows");
  settings.take(run.config, data);
  auto& scales_targets = settings.own.standardise_targets;
  if (!run.interface && !scales_targets.has_value()) scales_targets.found(false);  // a version that did not scale them
  if (data_kind(data) == DataKind::kOfficial) return settings.options_of_known(data_dir);
  const bool moved = resolved_data(data) != trained_on;
  // the same content in another place is the same data
  ARKS_CHECK(!moved || (is_own_data(data) && settings.own.checksum.has_value()), "--data ", data, ": ", run.name,
             " was trained on ", trained_on,
             ", and its data must be divided and scaled as in training; leave --data out");
  check_unchanged(settings.own, data);
  return data_options(settings.own, data_dir, run.train_limit()).validation(settings.validation.options());
}

/// `knows` says how data are divided, so flags must not, and the other models must have divided them alike.
void check_alike(const std::vector<Run>& runs, const Run& knows, const SourceSettings& settings) {
  auto given = settings.given_flags();
  // a file does not know where its data lie
  if (knows.is_file()) given.erase(std::remove(given.begin(), given.end(), settings.own.targets.flag()), given.end());
  ARKS_CHECK(given.empty(), join(given), ": ", knows.name,
             " knows how its data were divided and read; leave the flag out");
  for (const auto& run : runs) check_same_rows(knows, run, /*also_parts=*/false);
}

/// As a file of arks says: of the data that it was trained on, so that their test part is one for it, too.
DataOptions options_of_file(const Run& file, const std::string& data, SourceSettings& settings,
                            const fs::path& data_dir) {
  const bool own = is_own_data(data);
  std::error_code ignored;
  ARKS_CHECK(contains(dataset_names(), data) || fs::exists(data, ignored), "--data ", data, " does not exist");
  const auto instead = own ? "; --test-data " + data + " tests it on all samples there" : "";
  ARKS_CHECK(own ? !file.checksum().empty() : data == file.interface->data, "--data ", data, ": ", file.name,
             " was trained on ", file.interface->data, instead);
  settings.take(file.config, data);
  try {
    check_unchanged(settings.own, data);
  } catch (const Error& error) {
    throw Error(file.name + " was trained on other data: " + error.what() + instead);
  }
  return data_options(settings.own, data_dir, file.train_limit()).validation(settings.validation.options());
}

/// Files alone: they say how their data were divided, or else the user does.
DataOptions options_for_files(const std::vector<Run>& runs, const std::string& data, SourceSettings& settings,
                              CommonSettings& common) {
  ARKS_CHECK(!data.empty(), runs.front().name, " is not a run of arks train, so its data are unknown; give --data");
  if (data_kind(data) == DataKind::kOfficial) return settings.options(data, common.data_folder());
  if (const auto* knows = first_that_knows(runs)) {
    check_alike(runs, *knows, settings);
    return options_of_file(*knows, data, settings, common.data_folder());
  }
  const auto older = std::find_if(runs.begin(), runs.end(), [](const Run& run) { return !run.is_silent(); });
  ARKS_CHECK(older == runs.end(), "--data ", data, ": ", older->name,
             " does not say which samples it was trained on; leave --data out, and give --test-data FILE");
  return settings.options(data, common.data_folder());
}

}  // namespace

DataOptions find_data(const std::vector<Run>& runs, std::string& data, SourceSettings& settings,
                      CommonSettings& common) {
  DataOptions options;
  if (const auto* trained = first_trained(runs)) {
    check_alike(runs, *trained, settings);
    if (data.empty()) data = *trained->what->data;
    options = options_of(*trained, data, settings, data_dir_of(*trained, common.data_dir.value_or("")));
  } else {
    options = options_for_files(runs, data, settings, common);
  }
  common.data_dir.found(fs::absolute(options.data_dir()).string());
  return options.image_files(image_files_options(common));
}

ModelInterface interface_of_run(const Run& run, CommonSettings& common) {
  if (run.interface) return *run.interface;
  ARKS_CHECK(!run.is_file(), run.name,
             " does not say what it takes, since it was not written by arks; a run or a file of arks export is needed");
  std::string data;
  SourceSettings settings;
  const auto options = find_data({run}, data, settings, common);
  if (data_kind(data) == DataKind::kOfficial) {
    return interface_of(*load_dataset(data, options, Split::kTest), "", nullptr);
  }
  const auto splits = load_splits(data, options);
  return interface_of(*splits.train, splits.target, splits.encoding.get());
}

std::vector<NamedFile> named_files(const std::string& list, const std::string& flag) {
  std::vector<NamedFile> files;
  std::error_code ignored;
  const auto parts = fs::exists(list, ignored) ? std::vector<std::string>{list} : split(list, ',');
  for (const auto& part : parts) {
    const auto equals = fs::exists(part, ignored) ? std::string::npos : part.find('=');
    NamedFile file{part.substr(0, equals), part, equals != std::string::npos};
    if (file.given_name) {
      file.path = part.substr(equals + 1);
    } else {
      const auto name = fs::path(part).lexically_normal();
      file.name = (name.has_filename() ? name : name.parent_path()).filename().string();
      file.name = file.name.substr(0, file.name.find('.'));
    }
    ARKS_CHECK(!file.name.empty() && !file.path.empty(), flag, ": cannot read '", part,
               "'; expected FILE or NAME=FILE");
    for (const auto& other : files) {
      ARKS_CHECK(other.name != file.name, flag, ": two files are called '", file.name,
                 "'; give them names: winter=FILE,summer=FILE");
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace arks::cli
