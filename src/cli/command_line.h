#pragma once
// What subcommands share on the command line: common settings, TOML files under the flags, outputs.
#include "cli/flags.h"

#include <arks/data/dataset.h>
#include <arks/engine/network.h>
#include <arks/problem/supervised.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace arks::cli {

/// What every subcommand has. None of it decides a result, but for the order of floating-point sums.
class CommonSettings : public SettingGroup {
  static constexpr const char* kLog = "what a run prints goes into its log";

 public:
  CommonSettings();
  ~CommonSettings() override;

  Setting<std::string> config{this, text("config", "TOML file with flag names as keys; flags on the command line win")
                                        .path()
                                        .output()
                                        .only_typed()
                                        .changes_on_resume(false)
                                        .not_in_studies("write its keys here instead")};
  Setting<std::string> data_dir{this, text("data-dir", "folder with the data sets")
                                          .path("DIR")
                                          .default_words("$ARKS_DATA_DIR, /usr/share/datasets, ~/.local/share/arks")
                                          .in_data()
                                          .of_machine()
                                          .recorded()
                                          .not_in_studies("give it on the command line, or in ARKS_DATA_DIR")};
  Setting<int64_t> threads{
      this, whole("threads", "number of threads; 0 = $OMP_NUM_THREADS, or one per core (small tables: one)")
                .unit("threads")
                .between(0, 1024)
                .otherwise(0)
                .of_machine()
                .recorded()
                .not_in_studies("every run has one thread; --jobs sets how many run in parallel")};
  Setting<std::string> engine{this, text("engine", "compiled plans where possible, or libtorch alone")
                                        .words(engine_names())
                                        .otherwise("auto")
                                        .of_machine()
                                        .recorded()
                                        .changes_on_resume(false)};
  Setting<std::string> device{this, text("device", "where to compute").words({"cpu"}).otherwise("cpu").of_machine()};
  Setting<std::string> json{this, text("json", "write the result as JSON; - = stdout").path("FILE|-").output()};
  Setting<bool> no_cache{this, yes_no("no-cache", "do not cache decoded images").otherwise(false).of_machine()};
  Setting<bool> quiet{this,
                      yes_no("quiet", "print only results, warnings, errors, and what changes what a number means")
                          .otherwise(false)
                          .output()
                          .not_in_studies(kLog)};
  Setting<bool> verbose{
      this, yes_no("verbose", "print more detail").short_flag("-v").otherwise(false).output().not_in_studies(kLog)};

  /// The folder that was given, or the usual one.
  std::filesystem::path data_folder() const;
};

/// Sets threads, refuses devices that are not there, warns of a slow BLAS. Notes how many threads there are.
void apply(CommonSettings& settings);

/// One thread where nobody said how many and samples are rows for a network of few weights: threads that share so
/// little work wait for each other longer than they compute.
void fit_threads(CommonSettings& settings, const DatasetInfo& samples,
                 const std::vector<std::unique_ptr<SupervisedProblem>>& models);
void fit_threads(CommonSettings& settings, const DatasetInfo& samples, const SupervisedProblem& model);

/// The values of a TOML text. Keys are names of settings of the command; those about the data may stand in a table
/// [data], with source for --data. Paths begin at the folder of the file. Throws Error for a key that the command does
/// not know, naming the nearest, for one that stands in the wrong table, and for one that is given twice; `what` is the
/// file.
Given read_config(const std::string& toml, const std::string& what, const Flags& flags);

/// Throws Error when the file exists and --force was not given, its folder does not, or its name says that it is
/// compressed.
void check_output_file(const std::string& path, bool force, const std::string& flag);

/// The same for all outputs of a command, and when two of them are the same file or both standard output. Those of type
/// FILE are pictures, several with commas, which must end in .svg or .png. Throws Error also where --force would let
/// one replace what the command reads: `inputs` are files, folders of data, and runs, whose files are theirs alone.
/// They may be lists with names, as --test-data is, or names of known sets.
void check_outputs(const std::vector<const Setting<std::string>*>& outputs, bool force,
                   const std::vector<std::string>& inputs = {});

/// Writes to the file, or to standard output for "-".
void write_output(const std::string& path, const std::string& content);

}  // namespace arks::cli
