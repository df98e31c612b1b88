#pragma once
// The data on which models are tested.
#include "cli/command_line.h"
#include "cli/data_settings.h"
#include "cli/load_run.h"
#include "cli/validation_settings.h"

namespace arks::cli {

/// How data are read and divided: what the user's own files, tables and known sets take.
struct SourceSettings {
  DataSettings own;
  ValidationSettings validation;
  Choice<DatasetSettings> of_set{"data set", datasets_with_settings()};  // of a known set

  /// `validates`: with a validation part; without one its flags would do nothing.
  void add_to(Flags& flags, bool validates = true);
  /// The flags that were given.
  std::vector<std::string> given_flags() const;
  /// Throws Error for a flag that was given and cannot mean anything for this set, and for an unknown set.
  void check_used(const std::string& data);
  /// Chooses the settings of the known set of this name, if it has some, and fills them in.
  void choose(const std::string& data);
  /// Takes what the configuration of a run says, for this set.
  void take(const SettingValues& config, const std::string& data);
  /// The same of the first of these models that is a run and can be read. Returns the set: the one given, or its own.
  std::string take_from(const std::vector<std::string>& models, std::string data);
  /// Those that such data have.
  std::vector<const SettingGroup*> groups(const std::string& data) const;
  /// How to load a known set, with the settings that were chosen for it.
  DataOptions options_of_known(const std::filesystem::path& data_dir) const;
  /// How to load the set as these settings say.
  DataOptions options(const std::string& data, const std::filesystem::path& data_dir);
};

/// How to load the set called `data`, of the first run when that is empty, then filled in. Tables and data of the
/// user's own are divided and scaled as the models did that say so, runs or files of arks, which must agree; only where
/// all models are silent files do `settings` say how, and inputs are standardised only when that is asked for: such a
/// model takes the numbers as they are. Afterwards `settings` and `common` say what is in force. Throws Error when no
/// run knows the data and none are given, and for tables and own data that the models were not trained on: they would
/// be divided and scaled in another way.
DataOptions find_data(const std::vector<Run>& runs, std::string& data, SourceSettings& settings,
                      CommonSettings& common);

/// What the model takes and gives, as it says itself. An older run does not; then its data are read.
ModelInterface interface_of_run(const Run& run, CommonSettings& common);

/// A file or folder and how reports call it.
struct NamedFile {
  std::string name, path;
  bool given_name = false;
};

/// "winter=field/w.csv,siteB.csv": names where they are given, else those of the files without their endings. Throws
/// Error when two have the same.
std::vector<NamedFile> named_files(const std::string& list, const std::string& flag);

}  // namespace arks::cli
