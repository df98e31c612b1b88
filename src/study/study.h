#pragma once
// Running one experiment: what all kinds share. A kind turns settings into steps, lets them run, and says what to draw.
#include "report/figure.h"
#include "study/experiment.h"
#include "study/step.h"

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace arks::study {

struct StudyOptions {
  std::filesystem::path out;  ///< steps go to OUT/steps, figures to OUT/ID
  std::string scale;
  std::filesystem::path data_dir;  ///< where the data sets lie
  KnownFlags known_flags;
  StepDefaults defaults;
  RunOptions run;
  bool plan_only = false;  ///< read everything, name the steps, run nothing
  std::string config;      ///< the file in place of the built-in one; empty: the built-in one
  std::string benchmark;   ///< the JSON that fig-speed draws; empty: the one that ships with the tool
  std::function<void(const std::string&)> say;  ///< a line for the reader
  FlagCheck check_values;                       ///< each value by itself, as the flags of a table are not all of a step
  FlagCheck check_together;                     ///< all flags of a step
};

/// What an experiment left behind.
struct StudyResult {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> lines;  ///< what was found, for the reader: a table, a note
  int64_t steps = 0, kept = 0, failed = 0;
  double seconds = 0;  ///< of all steps, whenever they ran
};

/// One experiment while it runs.
class Study {
 public:
  Study(const Experiment& experiment, const StudyOptions& options);

  const Experiment& experiment() const { return experiment_; }
  const Settings& settings() const { return experiment_.settings; }
  const StudyOptions& options() const { return options_; }
  const StepStore& store() const { return store_; }

  /// The flags of a command in this table, or nothing without the table.
  FlagValues flags(const Settings& table, const std::string& command) const;
  /// Throws Error when the command does not take these flags together.
  void check_step(const std::string& command, const FlagValues& flags) const;
  /// No seed twice.
  std::vector<int64_t> seeds() const;
  /// The (first) data set. Throws Error when the file names none.
  const std::string& data() const;

  /// A model: `flags` of `arks train` and a seed; "{seed}" in a value becomes the seed.
  Step train_step(FlagValues flags, int64_t seed) const;
  /// A command on models that were trained here, by their keys.
  Step model_step(const std::string& command, const std::vector<std::string>& models, FlagValues flags,
                  const std::string& name) const;

  /// Runs them, keeps the account of them. With plan_only they are only named, and none counts as done.
  std::vector<StepOutcome> run(const std::vector<Step>& steps);
  /// From here on nothing is read from the settings: a key that nobody has read is an Error, before anything runs.
  void settings_are_read() const { settings().refuse_unread(); }

  /// "made-up images stand in for celeba", or empty where the data are real; every picture says it.
  const std::string& stand_in_note() const { return stand_in_note_; }

  /// Writes OUT/ID/NAME.
  void write(const std::string& name, const std::string& content);
  /// Draws OUT/ID/ID.svg and .png.
  void draw(const std::function<void(const std::filesystem::path& file)>& draw);
  /// Draws several files into OUT/ID/NAME.
  void draw_into(const std::string& name,
                 const std::function<std::vector<std::filesystem::path>(const std::filesystem::path& folder)>& draw);
  void tell(const std::string& line);
  bool plan_only() const { return options_.plan_only; }

  StudyResult finish();

 private:
  void begin();
  /// Errors of `check` with `where` before them; what is given for each seed is asked for the first.
  void ask(const FlagCheck& check, const std::string& where, const std::string& command, FlagValues flags) const;
  bool is_output(const std::string& name) const;
  void remove_outputs_of_another(const std::string& text) const;
  std::filesystem::path folder() const { return options_.out / experiment_.id; }

  const Experiment& experiment_;
  const StudyOptions& options_;
  StepStore store_;
  StudyResult result_;
  std::vector<std::pair<Step, StepOutcome>> account_;
  bool begun_ = false;
  mutable std::set<std::pair<std::string, FlagValues>> checked_;  ///< steps of many seeds have the same flags
  std::string stand_in_note_;
  std::string stand_in_;  ///< where made-up data are, when the real ones are not there
};

/// The first line of OUT/ID/experiment.toml: the command.
std::string heading(const std::string& id, const StudyOptions& options);

/// A data set that the experiment needs, that is not there and that nothing stands in for at this scale, and how to get
/// it: "cifar10: …"; empty when it can run.
std::string missing_data(const Experiment& experiment, const StudyOptions& options);

/// Runs an experiment of any kind. Throws Error for bad settings or missing data, RunError when interrupted.
StudyResult run_experiment(const Experiment& experiment, const StudyOptions& options);

}  // namespace arks::study
